"""Adapters from providers to the engine, and the one guarded outbound client; no tables."""

"""Language models: the one outbound client, and what speaks through it; no tables."""

"""Evals Studio."""

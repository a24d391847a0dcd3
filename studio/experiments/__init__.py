"""The experiments app."""

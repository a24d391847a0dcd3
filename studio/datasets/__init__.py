"""The datasets app."""

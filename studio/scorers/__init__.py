"""The scorers app."""

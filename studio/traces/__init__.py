"""The traces app."""

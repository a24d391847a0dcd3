"""The agents app."""

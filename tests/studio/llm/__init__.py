"""Tests of the outbound client and the chat call."""

"""Typed access to the facts in `data/`."""

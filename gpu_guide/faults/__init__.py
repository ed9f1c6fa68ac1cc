"""Faults planted on purpose, to count what the checks and the tiers notice of them."""

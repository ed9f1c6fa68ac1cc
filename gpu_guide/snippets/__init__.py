"""The snippet file: its format, its parts, and its rules."""

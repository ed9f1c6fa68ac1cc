"""What a snippet file is: its format, its parts, and its rules."""

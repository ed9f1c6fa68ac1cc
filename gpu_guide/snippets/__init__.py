"""What a snippet file is: its format, its parts, and what it owes the reader."""

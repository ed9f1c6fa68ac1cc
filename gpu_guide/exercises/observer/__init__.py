"""Runs a reader's program and sees what it does: in that reader's own Python, started by `serve`.

Nothing here reads YAML or words: what was seen goes back as the key of a sentence.
"""

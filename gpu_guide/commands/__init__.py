"""The commands of contributors, by what they are for: what each is called, takes and does.

A command is declared beside its code. What it imports is imported when it runs, because a Python
that lacks a module must still be able to read the arguments: see `cli.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Protocol

Run = Callable[[argparse.Namespace], int]
"""What a command does with its options, and its exit status."""


class Add(Protocol):
    """Adds a command to the parser: its name, what runs, the extra of pyproject.toml that it needs
    ("" for none), and its line in `--help`."""

    def __call__(self, name: str, run: Run, needs: str, text: str, /) -> argparse.ArgumentParser:
        """Return the command's own parser, for its arguments."""
        ...


MOST_PROCESSES = 4
"""Each of them needs a gigabyte: it has torch imported, and so have its two fork servers."""
SIDE_BY_SIDE = ("-n", "auto", "--maxprocesses", str(MOST_PROCESSES), "--dist", "worksteal")
"""How pytest runs tests on all cores."""

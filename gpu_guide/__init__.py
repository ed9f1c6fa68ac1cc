"""The tooling of the guide: it reads, runs, records and renders the files of `snippets/`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository: every other path of the project is given from here."""

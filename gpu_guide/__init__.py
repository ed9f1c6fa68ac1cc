"""The tooling of the guide: it reads, runs, records and renders what stands in `snippets/`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository: every other path of the project is given from here."""

"""The tooling of the guide: it reads, runs, records and renders the files of `snippets/`."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
_OF_WHEEL = _HERE / "guide"

ROOT = _OF_WHEEL if _OF_WHEEL.is_dir() else _HERE.parent
"""The repository: every other path of the project is given from here. In what readers install it is
a folder with the few files of it that their commands read: see setup.py."""

"""What the command says of itself, in the reader's language: `texts.yml`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpu_guide.dry_run.words import Words, system_language
from gpu_guide.project import HERE

TEXTS = Path(__file__).with_name("texts.yml")
LANG = "--lang"


def words(language: str) -> Words:
    """The texts of the command in a language."""
    return Words(language, TEXTS)


def asked_for(arguments: Sequence[str]) -> str:
    """The language that the arguments name, of which `--help` is told too; else the system's."""
    named = ""
    for at, word in enumerate(arguments):
        if word == LANG and at + 1 < len(arguments):
            named = arguments[at + 1]
        elif word.startswith(f"{LANG}="):
            named = word.partition("=")[2]
    return named if named in HERE.languages else system_language(HERE.languages)

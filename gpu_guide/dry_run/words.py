"""What a dry run says, in the reader's language: `texts.yml`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpu_guide.fast_yaml import load

_TEXTS = Path(__file__).with_name("texts.yml")


@cache
def _texts() -> dict[str, dict[str, str]]:
    return load(_TEXTS.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Words:
    """The texts in one language."""

    language: str

    def __call__(self, key: str, /, **given: object) -> str:
        return _texts()[key][self.language].format(**given)


def system_language(languages: Sequence[str]) -> str:
    """The one of `languages` that this system speaks, by its locale; else the last."""
    variables = ("LC_ALL", "LC_MESSAGES", "LANG")
    said = next((os.environ[name] for name in variables if os.environ.get(name)), "")
    return next((one for one in languages if said.lower().startswith(one)), languages[-1])

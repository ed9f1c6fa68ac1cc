"""What a dry run says, in the reader's language: `texts.yml`."""

from __future__ import annotations

import locale
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpu_guide.fast_yaml import load
from gpu_guide.project import about

_TEXTS = Path(__file__).with_name("texts.yml")


@cache
def _texts(file: Path) -> dict[str, dict[str, str]]:
    return load(file.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Words:
    """The texts in one language."""

    language: str
    file: Path = _TEXTS

    def __call__(self, key: str, /, **given: object) -> str:
        return _texts(self.file)[key][self.language].format(**given)


def system_language(languages: Sequence[str]) -> str:
    """The one of `languages` that this system speaks, by its locale; else the last."""
    variables = ("LC_ALL", "LC_MESSAGES", "LANG")
    said = next((os.environ[name] for name in variables if os.environ.get(name)), "")
    said = (said or locale.getlocale()[0] or "").lower()
    for one in languages:  # zh_CN.UTF-8, and on Windows also Chinese (Simplified)_China
        if said.startswith((one, about(one).name.lower())):
            return one
    return languages[-1]

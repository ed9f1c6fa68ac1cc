"""What a dry run says, in the reader's language: `texts.yml`."""

from __future__ import annotations

import locale
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpu_guide.fast_yaml import load

_TEXTS = Path(__file__).with_name("texts.yml")
LANGUAGES = ("zh", "en")


@cache
def _texts() -> dict[str, dict[str, str]]:
    return load(_TEXTS.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Words:
    """The texts in one language."""

    language: str

    def __call__(self, key: str, /, **given: object) -> str:
        return _texts()[key][self.language].format(**given)


def system_language() -> str:
    """The language of this system, where it is one of ours; else English."""
    said = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)),
        locale.getlocale()[0] or "",
    )
    return "zh" if said.lower().startswith(("zh", "chinese")) else "en"

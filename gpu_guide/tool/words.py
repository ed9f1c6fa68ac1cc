"""What the command says of itself, in the reader's language: `texts.yml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gpu_guide.dry_run.words import Words, system_language
from gpu_guide.fast_yaml import load
from gpu_guide.problems import GuideError, Problem, shown
from gpu_guide.project import HERE

TEXTS = Path(__file__).with_name("texts.yml")
SAID = Path(__file__).with_name("said.yml")
_VALUE = re.compile(r"\\\{(\w+)\\\}")
LANG = "--lang"


def words(language: str) -> Words:
    """The texts of the command in a language."""
    return Words(language, TEXTS)


@cache
def _said() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """What is said in English, as patterns, with its texts in other languages."""
    found = load(SAID.read_text(encoding="utf-8"))
    return [(re.compile(_pattern(texts["said"]), re.DOTALL), texts) for texts in found]


def _pattern(text: str) -> str:
    return _VALUE.sub(r"(?P<\1>.+?)", re.escape(text))


def in_language(text: str, language: str) -> str:
    """What others say in English, in the language; unchanged where it has no words for it."""
    for pattern, texts in _said():
        if language in texts and (match := pattern.fullmatch(text)):
            given = {key: in_language(one, language) for key, one in match.groupdict().items()}
            return texts[language].format(**given)
    return text


def why_of(error: OSError, language: str) -> str:
    """What the system says of a file or a program."""
    return in_language(error.strerror or str(error), language)


def explained(error: GuideError, language: str) -> str:
    """The problems of an error, one a line."""
    return "\n".join(_explained(one, language) for one in error.problems)


def _explained(problem: Problem | str, language: str) -> str:
    if isinstance(problem, str):
        return in_language(problem, language)
    where = f"{shown(problem.file)}: " if problem.file else ""
    what, remedy = (in_language(one, language) for one in (problem.what, problem.remedy))
    return f"{where}{what} — {remedy}"


def asked_for(arguments: Sequence[str]) -> str:
    """The language that the arguments name, of which `--help` is told too; else the system's."""
    named = ""
    for at, word in enumerate(arguments):
        if word == LANG and at + 1 < len(arguments):
            named = arguments[at + 1]
        elif word.startswith(f"{LANG}="):
            named = word.partition("=")[2]
    return named if named in HERE.languages else system_language(HERE.languages)

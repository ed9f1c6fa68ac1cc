"""Every word that the renderer itself shows to readers: a YAML file a language, with the same keys.

Another language is another file in `words/`. `make check` names each word that a language of the
project lacks; a page that needs one is not built. What data/*.yml says is translated there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide import fast_yaml
from gpu_guide.problems import GuideError, Problem
from gpu_guide.snippets.model import Language

_FOLDER = Path(__file__).with_name("words")


def _table(file: Path) -> dict[str, str | tuple[str, ...]]:
    words = fast_yaml.load(file.read_text(encoding="utf-8"))
    return {key: tuple(one) if isinstance(one, list) else one for key, one in words.items()}


WORDS: dict[Language, dict[str, str | tuple[str, ...]]] = {
    file.stem: _table(file) for file in sorted(_FOLDER.glob("*.yml"))
}
"""The words of each language, by key: from a YAML file a language."""


@dataclass(frozen=True)
class Words:
    """The words of one language: `say = Words(language)`, then `say("download", file="a.py")`.

    Raises GuideError that names this file, the language and the key where it lacks a word.
    """

    language: Language

    def __call__(self, key: str, **values: Any) -> str:
        """The words of `key` around the `values`; with HTML among these, HTML."""
        return self._filled(self._of(key), values)

    def counted(self, key: str, count: int) -> str:
        """The words of `key` for so many things: `simulated_one` or `simulated_many`."""
        return self(f"{key}_{'one' if count == 1 else 'many'}", count=count)

    def beginning(self, start: str) -> dict[str, str]:
        """The words whose keys begin so, by the rest of the key: what a page's program shows."""
        known = {key for table in WORDS.values() for key in table if key.startswith(start)}
        return {key.removeprefix(start): self._of(key) for key in sorted(known)}

    def heads(self, key: str, **values: Any) -> list[str]:
        """The heads of a table's columns."""
        return [self._filled(text, values) for text in self._of(f"heads_{key}")]

    def listed(self, parts: Sequence[str], comma: str = "list_comma") -> str:
        """The parts with the language's comma between them; with HTML among these, HTML."""
        between = self(comma)
        return (_escaped(between) if _has_html(parts) else between).join(parts)

    def _filled(self, text: str, values: dict[str, Any]) -> str:
        return (_escaped(text) if _has_html(values.values()) else text).format(**values)

    def _of(self, key: str) -> Any:
        table = WORDS.get(self.language, {})
        if key not in table:
            raise GuideError(_missing(self.language, key))
        return table[key]


def missing(languages: Sequence[Language]) -> Iterator[Problem]:
    """A problem for each word that one of the languages lacks."""
    keys = dict.fromkeys(key for table in WORDS.values() for key in table)
    for language in languages:
        yield from (_missing(language, key) for key in keys if key not in WORDS.get(language, {}))


def _missing(language: Language, key: str) -> Problem:
    there = " and ".join(f"{one}.yml" for one, table in WORDS.items() if key in table)
    remedy = "add it" + (f", as in {there}" if there else "")
    return Problem(_FOLDER / f"{language}.yml", None, f"no word {key!r}", remedy)


def _has_html(values: Any) -> bool:
    return any(hasattr(value, "__html__") for value in values)


def _escaped(text: str) -> Any:
    # Not above: the command that readers install has words without HTML, and no MarkupSafe.
    from markupsafe import escape

    return escape(text)

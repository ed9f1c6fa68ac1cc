"""Typed access to `data/*.yml`. A malformed file is refused with file, line, key and remedy."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

from gpu_guide.fast_yaml import LOADER
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

_Made = TypeVar("_Made")

_TYPES = {
    "str": (str, "a text", "write it in quotes"),
    "bool": (bool, "a truth", "write true or false"),
    "int": (int, "a whole number", "write it in digits, without quotes"),
    "date": (date, "a date", "write it as 2026-11-21, without quotes"),
}
_TRANSLATED = "Mapping[Language, str]"
Texts = Mapping[Language, str]
"""As the type of a field, in this name: its key holds a text in each language."""
Rows = Mapping[Language, Mapping[str, str]]
"""Likewise, of a field with `rows` as metadata: each language is a key that holds these texts."""


@dataclass(frozen=True)
class Term:
    """One term of the glossary; data/glossary.yml says at its top what the keys mean."""

    en: str
    zh: str
    topic: str
    keep_english: bool
    note: str = ""
    wrong: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    not_linked_in: tuple[str, ...] = ()
    linked_as: tuple[str, ...] = ()
    not_within: tuple[str, ...] = ()
    explain: Texts = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """Its anchor in the glossary: the English term in lower case, with hyphens."""
        return re.sub(r"[^a-z0-9]+", "-", self.en.lower()).strip("-")


def load_glossary(project: Project) -> tuple[Term, ...]:
    """The terms in the order of data/glossary.yml. Raises GuideError."""
    path = project.glossary
    terms: dict[str, Term] = {}
    lines: dict[str, int] = {}
    for line, entry in entries(path):
        term = typed(path, line, Term, entry, project.languages)
        if term.en in terms:
            problem = f"en: {term.en!r} again, first on line {lines[term.en]}"
            raise fault(path, line, problem, "keep one of them")
        if same := next((other for other in terms.values() if other.id == term.id), None):
            problem = f"en: {term.en!r} has the anchor of {same.en!r}, {term.id!r}"
            raise fault(path, line, problem, "name one of them otherwise")
        terms[term.en], lines[term.en] = term, line
    for term in terms.values():
        _check_wrong(path, lines[term.en], term, terms)
    return tuple(terms.values())


def _check_wrong(path: Path, line: int, term: Term, terms: Mapping[str, Term]) -> None:
    for word in term.wrong:
        if word in term.other:
            raise fault(path, line, f"{word!r} is both wrong and other", "decide for one")
        users = [
            other.zh
            for other in terms.values()
            if word in other.zh and not any(longer in other.zh for longer in term.unless)
        ]
        if users:
            problem = f"wrong: {word!r} is part of the right word {users[0]!r}"
            raise fault(path, line, problem, "move it to 'other', or name that in 'unless'")
    for word in term.unless:
        if not any(wrong in word and wrong != word for wrong in term.wrong):
            problem = f"unless: {word!r} contains none of the wrong words"
            raise fault(path, line, problem, "give a longer word around a wrong one")


def entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The mappings of a file that is a list of mappings, each with its line. Raises GuideError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise fault(path, 1, f"cannot be read: {error.strerror}", "restore it") from None
    for line, entry in _entries(path, content):
        yield line, dict(entry)


@lru_cache(maxsize=64)
def _entries(path: Path, content: bytes) -> tuple[tuple[int, dict[str, Any]], ...]:
    """Those of each content once: a table or a page asks for what another has asked for."""
    return tuple(_read(path, content))


def _read(path: Path, content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        loader = LOADER(content.decode("utf-8"))
        root = loader.get_single_node()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise fault(path, line, "not UTF-8", "save the file as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "unreadable"
        raise fault(path, line, f"not YAML: {problem}", "correct the syntax") from None
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise fault(path, 1, "not a list of entries", "begin each entry with '- '")
    for node in root.value:
        line = node.start_mark.line + 1
        if not isinstance(node, yaml.MappingNode):
            raise fault(path, line, "an entry without keys", "write 'key: value' lines")
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                here = key.start_mark.line + 1
                raise fault(path, here, f"key {key.value!r} twice", "delete one of them")
            seen.add(key.value)
        yield line, loader.construct_mapping(node, deep=True)


def parts(path: Path, line: int, entry: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Take the mappings that an entry lists below `key` out of it. Raises GuideError."""
    given = entry.pop(key, None)
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise fault(path, line, f"{key}: not a list of mappings", "write them as others are")
    return given


def rows(*keys: str, in_some: bool = False) -> dict[str, Any]:
    """The metadata of a field with these texts in each language; `in_some`: in one at least."""
    return {"keys": keys, "in_some": in_some}


def typed(
    path: Path,
    line: int,
    cls: type[_Made],
    entry: Mapping[str, Any],
    languages: Sequence[Language] = (),
) -> _Made:
    """The entry on `line` as `cls`, a dataclass of texts, truths, whole numbers, dates and tuples
    or mappings of texts; `unchecked` may name its other keys. A `Mapping[Language, str]` is a key
    for each of the `languages` in the file, and so are `Rows`. Raises GuideError."""
    known: dict[str, Field[Any]] = {}
    needed: list[str] = []
    for one in fields(cls):
        keys = languages if one.type in (_TRANSLATED, "Rows") else (one.name,)
        known |= dict.fromkeys(keys, one)
        if one.metadata.get("in_some"):
            if not any(key in entry for key in keys):
                remedy = f"write the texts of one of {', '.join(keys)}"
                raise fault(path, line, "no texts", remedy)
        elif one.default is one.default_factory is MISSING:
            needed += keys
    for key, value in entry.items():
        if key not in known:
            raise fault(path, line, f"unknown key {key!r}", f"the keys are {', '.join(known)}")
        if wrong := _wrong(value, known[key], languages):
            raise fault(path, line, f"{key}: {wrong[0]}", wrong[1])
    for key in needed:
        if key not in entry:
            raise fault(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
    for key in entry.get("unchecked", ()):
        if key not in known or key == "unchecked":
            remedy = f"name keys of this entry: {', '.join(known)}"
            raise fault(path, line, f"unchecked: no key {key!r}", remedy)
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    for one in (one for one in fields(cls) if one.type in (_TRANSLATED, "Rows")):
        texts = {language: values.pop(language) for language in languages if language in values}
        values[one.name] = texts
    return cls(**values)


def _wrong(value: Any, of: Field[Any], languages: Sequence[Language]) -> tuple[str, str] | None:
    """What is wrong with the value of a key, and its remedy."""
    kind = "str" if of.type == _TRANSLATED else str(of.type)
    if kind.startswith("tuple"):
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            remedy = 'write ["2.10", "2.9"], with numbers in quotes'
            return f"{value!r} is not a list of texts", remedy
    elif kind == "Texts":
        for language in languages:
            text = value.get(language) if isinstance(value, dict) else None
            if not isinstance(text, str) or not text.strip():
                return f"nothing in {language!r}", "write it"
    elif kind == "Rows":
        keys = of.metadata["keys"]
        if not isinstance(value, dict) or set(value) != set(keys) or not all(value.values()):
            return "not the texts of a row", f"give it the keys {', '.join(keys)}"
    elif kind.startswith("Mapping"):
        if not isinstance(value, dict) or not all(
            isinstance(text, str) for pair in value.items() for text in pair
        ):
            remedy = 'write {KEY: "value"}, with numbers in quotes'
            return f"{value!r} is not a mapping of texts", remedy
    else:
        cls, name, remedy = _TYPES[kind]
        truth_as_number = kind == "int" and isinstance(value, bool)
        if not isinstance(value, cls) or value == "" or truth_as_number:
            return f"{value!r} is not {name}", remedy
    return None


def only_once(path: Path, line: int, key: str, value: str, found: Container[str]) -> None:
    """Raise GuideError where `found` has the value already."""
    if value in found:
        raise fault(path, line, f"{key}: {value!r} again", "keep one of them")

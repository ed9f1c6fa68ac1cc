"""Typed access to `data/*.yml`. A malformed file is refused with file, line, key and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
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
    explain: Mapping[Language, str] = field(default_factory=dict, hash=False)

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
        term = _term(path, line, entry, project.languages)
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


def _term(path: Path, line: int, entry: Mapping[str, Any], languages: Sequence[Language]) -> Term:
    known = {one.name: one for one in fields(Term)}
    for key, value in entry.items():
        if key not in known:
            raise fault(path, line, f"unknown key {key!r}", f"the keys are {', '.join(known)}")
        kind = known[key].type
        if kind == "str" and not (isinstance(value, str) and value.strip()):
            raise fault(path, line, f"{key}: {value!r} is not a text", "write it in quotes")
        if kind == "bool" and not isinstance(value, bool):
            raise fault(path, line, f"{key}: {value!r} is not a truth", "write true or false")
        if kind.startswith("tuple") and not (
            isinstance(value, list) and all(isinstance(word, str) and word for word in value)
        ):
            remedy = "write [word, word], and a word such as yes or 1 in quotes"
            raise fault(path, line, f"{key}: {value!r} is not a list of words", remedy)
        if kind == _TRANSLATED and not (
            isinstance(value, dict)
            and set(value) == set(languages)
            and all(isinstance(text, str) and text.strip() for text in value.values())
        ):
            remedy = f"write a text for each of {', '.join(languages)}"
            raise fault(path, line, f"{key}: not one text in each language", remedy)
    for key, one in known.items():
        if one.default is one.default_factory is MISSING and key not in entry:
            raise fault(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
    return Term(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})


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


def typed(
    path: Path,
    line: int,
    cls: type[_Made],
    entry: Mapping[str, Any],
    languages: Sequence[Language] = (),
) -> _Made:
    """The entry on `line` as `cls`, a dataclass of texts, truths, whole numbers, dates and tuples
    or mappings of texts; `unchecked` may name its other keys. A `Mapping[Language, str]` is a key
    for each of the `languages` in the file. Raises GuideError."""
    known: dict[str, str] = {}
    needed: list[str] = []
    for one in fields(cls):
        keys = languages if one.type == _TRANSLATED else (one.name,)
        known |= dict.fromkeys(keys, "str" if one.type == _TRANSLATED else one.type)
        needed += keys if one.default is one.default_factory is MISSING else ()
    for key, value in entry.items():
        if key not in known:
            raise fault(path, line, f"unknown key {key!r}", f"the keys are {', '.join(known)}")
        kind = known[key]
        if kind.startswith("tuple"):
            if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
                remedy = 'write ["2.10", "2.9"], with numbers in quotes'
                raise fault(path, line, f"{key}: {value!r} is not a list of texts", remedy)
        elif kind.startswith("Mapping"):
            if not isinstance(value, dict) or not all(
                isinstance(text, str) for pair in value.items() for text in pair
            ):
                remedy = 'write {KEY: "value"}, with numbers in quotes'
                raise fault(path, line, f"{key}: {value!r} is not a mapping of texts", remedy)
        else:
            of, name, remedy = _TYPES[kind]
            truth_as_number = kind == "int" and isinstance(value, bool)
            if not isinstance(value, of) or value == "" or truth_as_number:
                raise fault(path, line, f"{key}: {value!r} is not {name}", remedy)
    for key in needed:
        if key not in entry:
            raise fault(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
    for key in entry.get("unchecked", ()):
        if key not in known or key == "unchecked":
            remedy = f"name keys of this entry: {', '.join(known)}"
            raise fault(path, line, f"unchecked: no key {key!r}", remedy)
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    for one in (one for one in fields(cls) if one.type == _TRANSLATED):
        values[one.name] = {language: values.pop(language) for language in languages}
    return cls(**values)

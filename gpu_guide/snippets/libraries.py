"""The libraries on top of PyTorch that a snippet may need: data/libraries.yml."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache
from pathlib import Path

import yaml

from gpu_guide import fast_yaml
from gpu_guide.problems import fault
from gpu_guide.project import Project


@dataclass(frozen=True)
class Library:
    """One library, as data/libraries.yml says at its top."""

    id: str
    name: str
    module: str
    package: str
    version: str
    license: str
    docs: str
    read: date

    @property
    def pinned(self) -> str:
        """The requirement for pip: `accelerate==1.15.0`."""
        return f"{self.package}=={self.version}"

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def load_libraries(project: Project) -> tuple[Library, ...]:
    """The libraries in the order of their file; none where there is none. Raises GuideError."""
    path = project.libraries
    if not path.is_file():
        return ()
    return _read(path, path.read_text(encoding="utf-8"))


@lru_cache(maxsize=16)
def _read(path: Path, text: str) -> tuple[Library, ...]:
    found: dict[str, Library] = {}
    keys = {field.name: field.type for field in fields(Library)}
    try:
        nodes = fast_yaml.compose(text)
        entries = fast_yaml.load(text) or []
    except yaml.YAMLError as error:
        raise fault(path, None, f"no YAML: {error}", "correct it") from None
    if not isinstance(entries, list):
        raise fault(path, None, "is no list", "begin each library with '- id: …'")
    lines = [node.start_mark.line + 1 for node in nodes.value] if nodes else []
    for line, entry in zip(lines, entries, strict=True):
        if not isinstance(entry, dict) or entry.keys() != keys.keys():
            remedy = f"give it these and no others: {', '.join(keys)}"
            raise fault(path, line, "a library with other keys", remedy)
        for key, kind in keys.items():
            if not isinstance(entry[key], date if kind == "date" else str) or not entry[key]:
                remedy = "2026-11-21, without quotes" if kind == "date" else "it in quotes"
                raise fault(path, line, f"{key}: {entry[key]!r} is no {kind}", f"write {remedy}")
        library = Library(**entry)
        if not re.fullmatch(r"\d+(\.\d+)+(\.post\d+)?", library.version):
            what = f"version: {library.version!r} is not exactly one"
            raise fault(path, line, what, "write it like '1.15.0'")
        if library.id in found:
            raise fault(path, line, f"id: {library.id!r} again", "keep one of them")
        found[library.id] = library
    return tuple(found.values())

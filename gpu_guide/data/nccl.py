"""Typed access to `data/nccl.yml`: since when there is a new NCCL backend, and what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

COLUMNS = ("what", "before", "since")


@dataclass(frozen=True)
class Backends:
    """Since which release there is a new backend, where that was read, and what differs."""

    since: str
    read: str
    source: str
    names: Mapping[Language, str]
    differences: tuple[Mapping[Language, Mapping[str, str]], ...]


def load_backends(project: Project) -> Backends:
    """The entries of the project's data/nccl.yml. Raises GuideError."""
    path, languages = project.nccl, project.languages
    found = list(entries(path))
    heads = [(line, entry) for line, entry in found if entry.get("kind") == "backend"]
    if len(heads) != 1:
        raise fault(path, 1, f"{len(heads)} entries of kind backend", "write one")
    line, head = heads[0]
    for key in ("since", "read", "source", *languages):
        if not str(head.get(key) or ""):
            raise fault(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
    rows = [_difference(path, line, row, languages) for line, row in found if row is not head]
    names = {lang: head[lang] for lang in languages}
    return Backends(str(head["since"]), str(head["read"]), head["source"], names, tuple(rows))


def _difference(
    path: Path, line: int, entry: Mapping[str, Any], languages: Sequence[Language]
) -> dict[Language, Mapping[str, str]]:
    if entry.get("kind") != "difference":
        problem = f"kind: {entry.get('kind')!r}"
        raise fault(path, line, problem, "the kinds are backend and difference")
    for lang in languages:
        texts = entry.get(lang)
        if not isinstance(texts, dict) or sorted(texts) != sorted(COLUMNS):
            remedy = f"give it the keys {', '.join(COLUMNS)}"
            raise fault(path, line, f"{lang}: not the three texts of a row", remedy)
    return {lang: entry[lang] for lang in languages}

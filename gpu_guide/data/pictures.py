"""Typed access to `data/pictures.yml`: what the pictures show, and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries, only_once
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

KINDS = ("timeline", "formats", "visible", "ring", "splits", "stack", "calls", "boxes", "gpu")
_TEXTS = ("title", "text")


@dataclass(frozen=True)
class Picture:
    """One entry of data/pictures.yml; the file says at its top what the keys mean."""

    name: str
    kind: str
    content: Any
    line: int
    texts: Mapping[Language, Mapping[str, str]]
    words: Mapping[str, Mapping[Language, str]]
    looks: Mapping[str, str]


def load_pictures(project: Project) -> dict[str, Picture]:
    """The pictures of the project's data/pictures.yml by name. Raises GuideError."""
    path = project.pictures
    pictures: dict[str, Picture] = {}
    for line, entry in entries(path):
        picture = _picture(path, line, entry, project.languages)
        only_once(path, line, "name", picture.name, pictures)
        pictures[picture.name] = picture
    return pictures


def _picture(
    path: Path, line: int, entry: Mapping[str, Any], languages: Sequence[Language]
) -> Picture:
    optional = {"words": {}, "looks": {}}
    entry = optional | dict(entry)
    keys = {"name": str, "kind": str, "content": (list, dict), "words": dict, "looks": dict}
    keys |= dict.fromkeys(languages, dict)
    for key in entry.keys() - keys.keys():
        remedy = did_you_mean(key, keys)
        raise fault(path, line, f"unknown key {key!r}", remedy)
    for key, kind in keys.items():
        if not isinstance(entry.get(key), kind):
            raise fault(path, line, f"{key}: {entry.get(key)!r}", "see the top of the file")
    if entry["kind"] not in KINDS:
        remedy = did_you_mean(entry["kind"], KINDS)
        raise fault(path, line, f"kind: {entry['kind']!r}", remedy)
    for language in languages:
        if set(entry[language]) != set(_TEXTS) or not all(entry[language].values()):
            raise fault(path, line, f"{language}: not title and text", "give both")
    for key, word in entry["words"].items():
        if not isinstance(word, dict) or set(word) != set(languages):
            remedy = f"write {{{', '.join(f'{one}: …' for one in languages)}}}"
            raise fault(path, line, f"words: {key}: {word!r}", remedy)
    return Picture(
        name=entry["name"],
        kind=entry["kind"],
        content=entry["content"],
        line=line,
        texts={language: entry[language] for language in languages},
        words=entry["words"],
        looks=entry["looks"],
    )

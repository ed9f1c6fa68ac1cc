"""Typed access to `data/platforms.yml`: which services offer GPUs, and how to switch them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gpu_guide.data.entries import entries, typed
from gpu_guide.data.wheels import Source
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

COLUMNS = ("gpus", "switch", "keep")


@dataclass(frozen=True)
class Cloud:
    """One place; data/platforms.yml says at its top what the keys mean."""

    name: str
    source: tuple[str, ...]
    read: date
    texts: Mapping[Language, Mapping[str, str]]
    """Without a language, its readers are not shown the place."""


@dataclass(frozen=True)
class Platforms:
    """All that the file holds, each kind in the file's order."""

    sources: tuple[Source, ...]
    clouds: tuple[Cloud, ...]


def load_platforms(project: Project) -> Platforms:
    """What the project's data/platforms.yml holds. Raises GuideError."""
    path, sources, clouds = project.platforms, {}, {}
    for line, entry in entries(path):
        kind = entry.pop("kind", None)
        if kind == "source":
            source = typed(path, line, Source, entry, project.languages)
            sources[source.id] = source
        elif kind == "cloud":
            cloud = _cloud(project, line, entry)
            if cloud.name in clouds:
                raise fault(path, line, f"name: {cloud.name!r} again", "keep one of them")
            for id in cloud.source:
                if id not in sources:
                    remedy = did_you_mean(id, sources, f"the sources are {', '.join(sources)}")
                    raise fault(path, line, f"source: no {id!r}", remedy)
            clouds[cloud.name] = cloud
        else:
            raise fault(path, line, f"kind: {kind!r}", "the kinds are source and cloud")
    return Platforms(tuple(sources.values()), tuple(clouds.values()))


def _cloud(project: Project, line: int, entry: Mapping[str, Any]) -> Cloud:
    path = project.platforms
    texts = {language: entry[language] for language in project.languages if language in entry}
    rest = {key: value for key, value in entry.items() if key not in texts}
    if not texts:
        remedy = f"write the texts of one of {', '.join(project.languages)}"
        raise fault(path, line, "no texts", remedy)
    for language, found in texts.items():
        if not isinstance(found, dict) or set(found) != set(COLUMNS) or not all(found.values()):
            remedy = f"give it the keys {', '.join(COLUMNS)}"
            raise fault(path, line, f"{language}: not the texts of a row", remedy)
    plain = typed(path, line, _Plain, rest)
    return Cloud(plain.name, plain.source, plain.read, texts)


@dataclass(frozen=True)
class _Plain:
    name: str
    source: tuple[str, ...]
    read: date

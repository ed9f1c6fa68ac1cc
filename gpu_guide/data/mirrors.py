"""Typed access to `data/mirrors.yml`: mirrors, and the day on which each was last known to work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from gpu_guide.data.entries import entries, typed
from gpu_guide.data.wheels import Source
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

TEXTS = ("has", "known")
NEVER = date.min


@dataclass(frozen=True)
class _Plain:
    address: str
    source: tuple[str, ...]
    read: date
    worked: date = NEVER


@dataclass(frozen=True)
class Mirror:
    """One mirror; data/mirrors.yml says at its top what the keys mean."""

    address: str
    source: tuple[str, ...]
    read: date
    worked: date
    """NEVER where no source gives a day."""
    texts: Mapping[Language, Mapping[str, str]]


@dataclass(frozen=True)
class Mirrors:
    """All that the file holds, each kind in the file's order."""

    sources: tuple[Source, ...]
    mirrors: tuple[Mirror, ...]


def load_mirrors(project: Project) -> Mirrors:
    """What the project's data/mirrors.yml holds. Raises GuideError."""
    path, sources, mirrors = project.mirrors, {}, {}
    for line, entry in entries(path):
        kind = entry.pop("kind", None)
        if kind == "source":
            source = typed(path, line, Source, entry, project.languages)
            sources[source.id] = source
            continue
        if kind != "mirror":
            raise fault(path, line, f"kind: {kind!r}", "the kinds are source and mirror")
        texts = {language: entry.pop(language, None) for language in project.languages}
        for language, found in texts.items():
            if not isinstance(found, dict) or set(found) != set(TEXTS) or not all(found.values()):
                remedy = f"give it the keys {', '.join(TEXTS)}"
                raise fault(path, line, f"{language}: not the texts of a row", remedy)
        plain = typed(path, line, _Plain, entry)
        if plain.address in mirrors:
            raise fault(path, line, f"address: {plain.address!r} again", "keep one of them")
        for id in plain.source:
            if id not in sources:
                remedy = did_you_mean(id, sources, f"the sources are {', '.join(sources)}")
                raise fault(path, line, f"source: no {id!r}", remedy)
        if plain.worked != NEVER and not plain.source:
            raise fault(path, line, "worked: a day without a source", "name who says so")
        mirrors[plain.address] = Mirror(
            plain.address, plain.source, plain.read, plain.worked, texts
        )
    return Mirrors(tuple(sources.values()), tuple(mirrors.values()))

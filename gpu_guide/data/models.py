"""Typed access to `data/models.yml`, and to the peaks and words of memory/fit.

A malformed file is refused with file, line, key and remedy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries, only_once, parts, typed
from gpu_guide.fit.model import Model
from gpu_guide.fit.terms import Setting
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language


@dataclass(frozen=True)
class _Entry:
    id: str
    name: str
    layers: int
    hidden: int
    heads: int
    key_heads: int
    head_size: int
    middle: int
    vocabulary: int
    source: str
    read: date
    positions: int = 0
    ungated: bool = False
    tied: bool = False
    attention_bias: bool = False
    bias: bool = False
    head_norms: bool = False
    layer_norm: bool = False


@dataclass(frozen=True)
class Named:
    """A public model: its numbers, and where they were read."""

    id: str
    name: str
    model: Model
    source: str
    read: date


@dataclass(frozen=True)
class Peak:
    """What PyTorch's allocator held at most on one GPU in a step of a model."""

    named: Named
    setting: Setting
    given: Mapping[str, Any]
    """What differs from the defaults of Setting, as the file has it."""
    bytes: int
    """The peak, or 0 where it has not been measured yet."""


def load_models(project: Project) -> dict[str, Named]:
    """The models by id, in the order of data/models.yml. Raises GuideError."""
    path = project.models
    models: dict[str, Named] = {}
    numbers = {one.name for one in fields(Model)} - {"gated"}
    for line, values in entries(path):
        entry = typed(path, line, _Entry, values)
        only_once(path, line, "id", entry.id, models)
        if entry.heads % entry.key_heads:
            what = f"key_heads: {entry.key_heads} do not divide {entry.heads} heads"
            raise fault(path, line, what, "look at the source again")
        given = {name: getattr(entry, name) for name in numbers}
        model = Model(**given, gated=not entry.ungated)
        models[entry.id] = Named(entry.id, entry.name, model, entry.source, entry.read)
    return models


@dataclass(frozen=True)
class _Words:
    key: str
    texts: Mapping[Language, str]


def load_fit_words(project: Project) -> dict[str, Mapping[Language, str]]:
    """What the calculator says, by key, in each language. Raises GuideError."""
    path = project.fit_words
    found: dict[str, Mapping[Language, str]] = {}
    for line, entry in entries(path):
        one = typed(path, line, _Words, entry, project.languages)
        only_once(path, line, "key", one.key, found)
        found[one.key] = one.texts
    return found


def load_peaks(project: Project) -> tuple[Peak, ...]:
    """The measured peaks, in the order of data/fit_peaks.yml. Raises GuideError."""
    path, models = project.fit_peaks, load_models(project)
    peaks = []
    for line, entry in entries(path):
        values = dict(entry)
        size = values.pop("bytes", 0)
        if type(size) is not int or size < 0:
            raise fault(path, line, f"bytes: {size!r}", "write what the measurement printed")
        peaks.append(_peak(path, line, values, models, size))
    return tuple(peaks)


@dataclass(frozen=True)
class Published:
    """Peaks that somebody else measured, and where they were published."""

    id: str
    source: str
    title: str
    read: date
    figures: tuple[Peak, ...] = ()


def load_published(project: Project) -> tuple[Published, ...]:
    """What others measured, in the order of data/fit_published.yml. Raises GuideError."""
    path, models = project.fit_published, load_models(project)
    found = []
    for line, entry in entries(path):
        given = parts(path, line, entry, "figures")
        one = typed(path, line, Published, entry)
        figures = []
        for figure in given:
            values = dict(figure)
            memory = str(values.pop("memory", ""))
            number = re.fullmatch(r"(\d+(?:\.\d+)?) (GB|GiB)", memory)
            if not number:
                raise fault(path, line, f"memory: {memory!r}", "write it as 19.73 GB or 2.34 GiB")
            size = round(float(number[1]) * {"GB": 1e9, "GiB": 2**30}[number[2]])
            figures.append(_peak(path, line, values, models, size))
        found.append(replace(one, figures=tuple(figures)))
    return tuple(found)


def _peak(
    path: Path, line: int, values: dict[str, Any], models: Mapping[str, Named], size: int
) -> Peak:
    """A peak of this size, of the model and the settings among `values`. Raises GuideError."""
    known = {one.name: type(one.default) for one in fields(Setting)}
    name = values.pop("model", "")
    if name not in models:
        remedy = did_you_mean(str(name), models, "name one of data/models.yml")
        raise fault(path, line, f"model: {name!r} is unknown", remedy)
    for key, value in values.items():
        if key not in known or type(value) is not known[key]:
            remedy = f"the keys are model, bytes or memory, {', '.join(known)}"
            raise fault(path, line, f"{key}: {value!r}", remedy)
    return Peak(models[name], Setting(**values), values, size)

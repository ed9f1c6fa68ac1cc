"""Typed access to `data/plots.yml`: what is plotted, and the points that a record holds of it.

A plot is drawn from what a snippet printed on a recorded machine. `line` is a regular expression
with a group for x (a number, or a name where there are bars) and one per series, and where its
spread was printed two more, such as cpu_low and cpu_high; printed lines that it does not match are
notes, and those that it matches without an x belong to another plot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries, only_once
from gpu_guide.data.gpus import TYPES
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.records.store import Record
from gpu_guide.snippets.model import Language, Snippet

ROLES = ("cpu", "gpu", "copy", "free")
_KINDS = ("lines", "steps", "bars", "stacked")
_WORDS = ("title", "x", "y")
_LOW, _HIGH = "_low", "_high"

Spread = tuple[float, float]
"""Between which two values the middle half of the measurements is."""


@dataclass(frozen=True)
class Series:
    """A line of a plot, a panel of bars, or a part of each bar: the group of `line`, its name."""

    key: str
    name: Mapping[Language, str]
    peak: str = ""
    """Which peak of data/gpus.yml it is said beside; "" for none."""
    role: str = ""
    """What its colour says in every picture; "" for none."""


@dataclass(frozen=True)
class Plot:
    """One entry of data/plots.yml; the file says at its top what the keys mean."""

    name: str
    snippet: str
    kind: str
    line: re.Pattern[str]
    series: tuple[Series, ...]
    words: Mapping[Language, Mapping[str, str]]
    """`title`, `x` and `y`."""
    names: Mapping[str, Mapping[Language, str]]
    """What the bars are called on the page, by what the snippet prints."""

    @property
    def has_peak(self) -> bool:
        """Whether the plot names the peak of a GPU."""
        return any(one.peak for one in self.series)

    def has_spread(self, series: Series) -> bool:
        """Whether the lines also say how far the measurements of `series` lie apart."""
        return series.key + _LOW in self.line.groupindex


@dataclass(frozen=True)
class Points:
    """What one record holds for a plot: per line the x as printed, and a value per series."""

    rows: tuple[tuple[str, tuple[float, ...]], ...]
    notes: tuple[str, ...]
    spreads: tuple[tuple[Spread | None, ...], ...]
    """For each row the spread of each value, where it was printed."""


def load_plots(project: Project) -> dict[str, Plot]:
    """The plots of the project's data/plots.yml by name. Raises GuideError."""
    path = project.plots
    plots: dict[str, Plot] = {}
    for line, entry in entries(path):
        plot = _plot(path, line, entry, project.languages)
        only_once(path, line, "name", plot.name, plots)
        plots[plot.name] = plot
    return plots


def _plot(path: Path, line: int, entry: dict[str, Any], languages: Sequence[Language]) -> Plot:
    keys: dict[str, type] = {"name": str, "snippet": str, "kind": str, "line": str, "series": list}
    keys |= dict.fromkeys(languages, dict) | {"names": dict}
    entry = {"names": {}} | entry
    for key in entry.keys() - keys.keys():
        raise fault(path, line, f"unknown key {key!r}", f"the keys are {', '.join(keys)}")
    for key, kind in keys.items():
        if not isinstance(entry.get(key), kind):
            raise fault(path, line, f"{key}: {entry.get(key)!r}", f"give a {kind.__name__}")
    if entry["kind"] not in _KINDS:
        raise fault(path, line, f"kind: {entry['kind']!r}", f"write {' or '.join(_KINDS)}")
    for lang in languages:
        if set(entry[lang]) != set(_WORDS):
            raise fault(path, line, f"{lang}: not the keys {', '.join(_WORDS)}", "give these")
    try:
        pattern = re.compile(entry["line"])
    except re.error as error:
        raise fault(path, line, str(error), "line is a regular expression") from None
    series = tuple(_series(path, line, one, languages) for one in entry["series"])
    wanted = {"x", *(one.key for one in series)}
    pairs = ({one.key + _LOW, one.key + _HIGH} for one in series)
    spreads = {group for pair in pairs if pair <= set(pattern.groupindex) for group in pair}
    if not series or set(pattern.groupindex) != wanted | spreads:
        problem = f"line: has the groups {', '.join(pattern.groupindex) or 'none'}"
        raise fault(path, line, problem, f"name a group for each of {', '.join(sorted(wanted))}")
    words = {language: entry.pop(language) for language in languages}
    return Plot(**(entry | {"line": pattern, "series": series, "words": words}))


def _series(path: Path, line: int, entry: Any, languages: Sequence[Language]) -> Series:
    keys = ("key", *languages)
    if not isinstance(entry, dict) or set(entry) - {"peak", "role"} != set(keys):
        raise fault(path, line, f"series: {entry!r}", f"write a list of {{{', '.join(keys)}}}")
    peak = entry.get("peak", "")
    if "peak" in entry and peak not in TYPES:
        raise fault(path, line, f"peak: {peak!r}", f"write one of {', '.join(TYPES)}")
    role = entry.get("role", "")
    if "role" in entry and role not in ROLES:
        raise fault(path, line, f"role: {role!r}", f"write one of {', '.join(ROLES)}")
    return Series(entry["key"], {language: entry[language] for language in languages}, peak, role)


def points(plot: Plot, snippet: Snippet, record: Record) -> Points | None:
    """What `record` holds of today's `snippet`, or None. Raises GuideError if it holds no point."""
    entry = record.fresh(snippet)
    if entry is None:
        return None
    rows, notes, spreads = [], [], []
    for line in (line for printed in entry.prints for line in printed.text.split("\n")):
        match = plot.line.fullmatch(line)
        if match is None:
            notes.append(line)
        elif match["x"] is not None:
            rows.append((match["x"], tuple(_number(plot, match[one.key]) for one in plot.series)))
            spreads.append(tuple(_spread(plot, match, one) for one in plot.series))
    if not rows:
        machine = record.environment.id
        what = f"plot {plot.name!r}: no line that {snippet.name} printed on {machine} matches"
        raise fault(None, None, what, "correct 'line' in data/plots.yml")
    return Points(tuple(rows), tuple(notes), tuple(spreads))


def _spread(plot: Plot, match: re.Match[str], series: Series) -> Spread | None:
    if not plot.has_spread(series):
        return None
    return _number(plot, match[series.key + _LOW]), _number(plot, match[series.key + _HIGH])


def _number(plot: Plot, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        remedy = "let the groups of 'line' in data/plots.yml match digits alone"
        raise fault(None, None, f"plot {plot.name!r}: {text!r} is no number", remedy) from None

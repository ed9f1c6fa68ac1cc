"""The SVG of a plot: colours and letters come from theme/assets/drawn.css and follow the page.

This module computes the position of each mark; templates/plot.svg draws it. A table below the chart
repeats its numbers, so that they can be read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from gpu_guide.render.template import fill

WIDTH, HEIGHT = 560, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 124, 14, 56
_BAR, _GAP, _NAME, _KEY = 20, 12, 160, 14

Spreads = Sequence[Sequence[tuple[float, float] | None]]
"""For each series the spread of each value, None where it is not known; () for no series at all."""

Looks = Sequence[str]
"""For each series the class that drawn.css colours; () for one each."""

_Mark = dict[str, Any]
"""Its `kind`, its place and its text: see templates/plot.svg."""


def number(value: float) -> str:
    """A figure as a reader wants it: three digits, no exponent."""
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}".rstrip("0").rstrip(".")


def lines(
    xs: Sequence[float],
    series: Sequence[tuple[str, Sequence[float]]],
    x: str,
    y: str,
    label: str,
    spreads: Spreads = (),
    looks: Looks = (),
) -> Markup:
    """Lines over `xs`, both axes logarithmic. `series` holds names and values, `x` and `y` name
    the axes, `label` says what is drawn to readers who cannot see it, and `spreads` are thin
    upright lines through the values. Raises ValueError where something is not positive, which a
    logarithm needs."""
    values = _all_values(series, spreads)
    if min(*xs, *values) <= 0:
        raise ValueError("a logarithmic axis needs positive numbers")
    low, high = _decades(min(values), max(values))
    first, last = math.log(min(xs)), math.log(max(xs))

    def at(value: float) -> float:
        span = (last - first) or 1.0
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (math.log(value) - first) / span

    def up(value: float) -> float:
        share = (math.log10(value) - low) / (high - low)
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * share

    ticks = [10.0**power for power in range(low, high + 1)]
    return _drawn(xs, series, _Axes(at, up, ticks, x, y), label, spreads, looks)


def steps(
    xs: Sequence[float],
    series: Sequence[tuple[str, Sequence[float]]],
    x: str,
    y: str,
    label: str,
    spreads: Spreads = (),
    looks: Looks = (),
) -> Markup:
    """As `lines`, but both axes are linear, and the upright one begins at 0. Raises ValueError
    where something is negative."""
    values = _all_values(series, spreads)
    if min(values) < 0:
        raise ValueError("an axis that begins at 0 has no negative numbers")
    tick = _round_step(max(values) / 4)
    most = tick * max(1, math.ceil(max(values) / tick))
    first, last = min(xs), max(xs)

    def at(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value - first) / ((last - first) or 1.0)

    def up(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / most

    ticks = [tick * number for number in range(round(most / tick) + 1)]
    return _drawn(xs, series, _Axes(at, up, ticks, x, y), label, spreads, looks)


def _all_values(series: Sequence[tuple[str, Sequence[float]]], spreads: Spreads) -> list[float]:
    """All that an axis has to have room for."""
    ends = [end for of_one in spreads for spread in of_one for end in spread or ()]
    return [value for _, ys in series for value in ys] + ends


def _round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is no less; 1 for nothing."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next((power * one for one in (1, 2, 5) if power * one >= least), power * 10)


@dataclass(frozen=True)
class _Axes:
    """The position of a value on both axes, and what is written at them."""

    at: Callable[[float], float]
    up: Callable[[float], float]
    ticks: Sequence[float]
    x: str
    y: str


def _drawn(
    xs: Sequence[float],
    series: Sequence[tuple[str, Sequence[float]]],
    axes: _Axes,
    label: str,
    spreads: Spreads,
    looks: Looks,
) -> Markup:
    at, up = axes.at, axes.up
    marks: list[_Mark] = []
    for tick in axes.ticks:
        line = up(tick)
        marks.append({"kind": "grid", "x": _LEFT, "y": line, "to": WIDTH - _RIGHT})
        marks.append(_text(_LEFT - 8, line + 4, number(tick), "end"))
    step = math.ceil(len(xs) / 7)
    for value in xs[::step]:
        marks.append(_text(at(value), HEIGHT - _BOTTOM + 22, number(value), "middle"))
    marks.append(_text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 6, axes.x, "middle", "axis"))
    middle = (_TOP + HEIGHT - _BOTTOM) / 2
    marks.append({"kind": "upright", "x": 14, "y": middle, "text": axes.y})
    ends = _apart([up(ys[-1]) for _, ys in series])
    for index, (name, ys) in enumerate(series):
        dots = [(at(value), up(of)) for value, of in zip(xs, ys, strict=True)]
        marks.append({"kind": "line", "series": index, "points": dots})
        thin = spreads[index] if spreads else [None] * len(dots)
        for (x, _), spread in zip(dots, thin, strict=True):
            if spread is not None:
                marks.append(_thin(x, up(spread[0]), x, up(spread[1])))
        marks += [{"kind": "dot", "series": index, "x": x, "y": y} for x, y in dots]
        marks.append(_text(WIDTH - _RIGHT + 10, ends[index] + 4, name, "start", "name"))
    return _svg(HEIGHT, label, marks, looks)


def bars(
    names: Sequence[str],
    panels: Sequence[tuple[str, Sequence[float]]],
    label: str,
    spreads: Spreads = (),
    looks: Looks = (),
) -> Markup:
    """One panel of horizontal bars per entry of `panels`: its name, and a value for each name.
    `spreads` are thin lines across the end of each bar."""
    marks: list[_Mark] = []
    top = 0
    for index, (title, values) in enumerate(panels):
        marks.append(_text(0, top + 16, title, "start", "axis"))
        top += 26
        ends = spreads[index] if spreads else [None] * len(values)
        scale = (WIDTH - _NAME - 64) / (max(_all_values([(title, values)], [ends])) or 1.0)
        for name, value, spread in zip(names, values, ends, strict=True):
            width = value * scale
            marks.append(_text(_NAME - 10, top + _BAR - 5, name, "end"))
            bar = {"x": _NAME, "y": top, "width": max(width, 1), "height": _BAR}
            marks.append({"kind": "bar", "series": index} | bar)
            middle = top + _BAR / 2
            if spread is not None:
                low, high = (_NAME + end * scale for end in spread)
                marks.append(_thin(low, middle, high, middle))
                width = max(width, high - _NAME)
            marks.append(_text(_NAME + width + 8, top + _BAR - 5, number(value), "start"))
            top += _BAR + _GAP
        top += _GAP
    return _svg(top, label, marks, looks)


def stacked(
    names: Sequence[str],
    parts: Sequence[tuple[str, Sequence[float]]],
    label: str,
    looks: Looks = (),
) -> Markup:
    """A horizontal bar for each name, of which each of `parts` is a piece; their sum at the end."""
    marks: list[_Mark] = []
    top = 0
    for index, (title, _) in enumerate(parts):
        key = {"x": _NAME, "y": top + 4, "width": _KEY, "height": _KEY}
        marks.append({"kind": "bar", "series": index} | key)
        marks.append(_text(_NAME + _KEY + 8, top + 16, title, "start", "axis"))
        top += _BAR + 4
    top += _GAP
    sums = [sum(values) for values in zip(*(values for _, values in parts), strict=True)]
    scale = (WIDTH - _NAME - 64) / (max(sums) or 1.0)
    for row, name in enumerate(names):
        marks.append(_text(_NAME - 10, top + _BAR - 5, name, "end"))
        left = float(_NAME)
        for index, (_, values) in enumerate(parts):
            if width := values[row] * scale:
                bar = {"x": left, "y": top, "width": width, "height": _BAR}
                marks.append({"kind": "bar", "series": index} | bar)
            left += width
        marks.append(_text(left + 8, top + _BAR - 5, number(sums[row]), "start"))
        top += _BAR + _GAP
    return _svg(top, label, marks, looks)


def _thin(x: float, y: float, to_x: float, to_y: float) -> _Mark:
    return {"kind": "spread", "x": x, "y": y, "to_x": to_x, "to_y": to_y}


def _decades(low: float, high: float) -> tuple[int, int]:
    """Powers of ten below and above, at least one apart."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return first, max(last, first + 1)


def _apart(heights: list[float], least: float = 20) -> list[float]:
    """The heights moved so that labels of one line each do not cover one another."""
    placed: dict[int, float] = {}
    free = -math.inf
    for index in sorted(range(len(heights)), key=heights.__getitem__):
        placed[index] = free = max(heights[index], free + least)
    return [placed[index] for index in range(len(heights))]


def _text(x: float, y: float, text: str, anchor: str, css: str = "") -> _Mark:
    return {"kind": "text", "x": x, "y": y, "text": text, "anchor": anchor, "css": css}


def _svg(height: float, label: str, marks: Sequence[_Mark], looks: Looks) -> Markup:
    """The marks of a series in the colour of its role, or else of its number."""
    for mark in marks:
        if "series" in mark:
            mark["look"] = looks[mark["series"]] if looks else f"s{mark['series']}"
    return fill("plot.svg", width=WIDTH, height=height, label=label, marks=marks)

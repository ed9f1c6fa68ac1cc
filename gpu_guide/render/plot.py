"""A plot as a page shows it: a chart per machine whose record holds today's snippet.

Machines that printed the same share one. A stand-in GPU's is drawn only while no GPU has a record.
The text below a chart explains its thin lines, and the peak of its GPU where data/gpus.yml knows
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from gpu_guide.data.gpus import Gpus
from gpu_guide.data.plots import Plot, Points, Spread, points
from gpu_guide.problems import fault
from gpu_guide.records.evidence import recorded_on
from gpu_guide.records.store import Record
from gpu_guide.render import plot_svg
from gpu_guide.render.provenance import claim
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import Snippet


def figure(
    plot: Plot,
    snippet: Snippet,
    records: Iterable[Record],
    say: Words,
    gpus: Gpus | None = None,
) -> Markup:
    """The HTML of a plot: a chart per record that holds it, or that there is none.

    `gpus` are those whose peak may be named. Raises GuideError where a record's lines are
    not those that the plot expects.
    """
    found = charts(plot, snippet, records, say, gpus)
    return fill(
        "plot.html",
        say=say,
        name=plot.name,
        title=plot.words[say.language]["title"],
        no_chart="" if found else no_chart(snippet, say),
        charts=[chart | {"svg": _svg(plot, held, chart["of"], say)} for held, chart in found],
        heads=heads(plot, say),
    )


def charts(
    plot: Plot,
    snippet: Snippet,
    records: Iterable[Record],
    say: Words,
    gpus: Gpus | None = None,
) -> list[tuple[Points, dict[str, Any]]]:
    """The figures of each chart, and what a page says below it. Raises GuideError as `figure`."""
    found = [(record, held) for record in records if (held := points(plot, snippet, record))]
    of_hardware = [(record, held) for record, held in found if not record.environment.stand_in]
    drawn: dict[Points, dict[str, Any]] = {}
    for record, held in of_hardware or found:
        rows = _rows(plot, held, say)
        notes = [*held.notes, *_explained(plot, record, say, gpus)]
        new = {"of": record, "claims": [], "notes": notes, "rows": rows}
        drawn.setdefault(held, new)["claims"].append(claim(recorded_on(snippet, record), say))
    return list(drawn.items())


def _explained(plot: Plot, record: Record, say: Words, gpus: Gpus | None) -> list[str]:
    """What a chart shows besides its lines, and what its GPU could do at best."""
    notes = [say("spread")] if any(map(plot.has_spread, plot.series)) else []
    if clocks := record.environment.clocks:
        notes.append(say("highest_clocks", clocks=clocks))
    if gpus and (gpu := gpus.of_driver(record.environment.gpu)):
        peaks = [
            f"{one.name[say.language]} {plot_svg.number(peak.value)}"
            for one in plot.series
            if one.peak and (peak := gpus.tflops(gpu, one.peak))
        ]
        notes += [say("peak", gpu=gpu.name, peaks=say("list_comma").join(peaks))] if peaks else []
    return notes


def heads(plot: Plot, say: Words) -> list[str]:
    """What the columns of its figures are called."""
    return [plot.words[say.language]["x"], *(one.name[say.language] for one in plot.series)]


def no_chart(snippet: Snippet, say: Words) -> str:
    """That there is no record to draw."""
    return say("no_plot_gpu" if snippet.needs.kind == "cuda" else "no_plot")


def _svg(plot: Plot, held: Points, record: Record, say: Words) -> Markup:
    words = plot.words[say.language]
    series = [
        (one.name[say.language], [values[index] for _, values in held.rows])
        for index, one in enumerate(plot.series)
    ]
    spreads = list(zip(*held.spreads, strict=True))
    looks = [one.role or f"s{index}" for index, one in enumerate(plot.series)]
    if plot.kind == "bars":
        return plot_svg.bars(_names(plot, held, say), series, words["title"], spreads, looks)
    if plot.kind == "stacked":
        return plot_svg.stacked(_names(plot, held, say), series, words["title"], looks)
    try:
        xs = [float(x) for x, _ in held.rows]
        trace = plot_svg.lines if plot.kind == "lines" else plot_svg.steps
        return trace(xs, series, words["x"], words["y"], words["title"], spreads, looks)
    except ValueError as error:
        what = (
            f"plot {plot.name!r}: what {plot.snippet} printed on {record.environment.id} "
            f"cannot be drawn: {error}"
        )
        raise fault(None, None, what, "correct 'kind' or 'line' in data/plots.yml") from None


def _names(plot: Plot, held: Points, say: Words) -> list[str]:
    return [plot.names.get(x, {}).get(say.language, x) for x, _ in held.rows]


def _rows(plot: Plot, held: Points, say: Words) -> list[list[str]]:
    """The figures that are drawn, as a table has them."""
    named = zip(_names(plot, held, say), held.rows, held.spreads, strict=True)
    return [[name, *map(_figure, values, spreads)] for name, (_, values), spreads in named]


def _figure(value: float, spread: Spread | None) -> str:
    said = plot_svg.number(value)
    return said if spread is None else f"{said} ({'–'.join(map(plot_svg.number, spread))})"

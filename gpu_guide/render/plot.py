"""A plot as a page shows it: a chart per machine whose record holds today's snippet."""

from __future__ import annotations

from html import escape

from gpu_guide.data.plots import Plot, Points, points
from gpu_guide.problems import fault
from gpu_guide.records.evidence import run_claims
from gpu_guide.records.store import Record
from gpu_guide.render import charts
from gpu_guide.snippets.model import Language, Snippet

_WORDS = {
    "zh": {
        "none": "还没有记录，所以没有图。有 GPU 的人运行上面的代码，就能看到自己机器上的数字。",
        "none_cpu": "还没有记录，所以没有图。运行上面的代码，就能看到自己机器上的数字。",
        "figures": "图里的数字",
    },
    "en": {
        "none": "No record yet, so there is no plot. On a GPU, the code above prints your figures.",
        "none_cpu": "No record yet, so there is no plot. The code above prints your figures.",
        "figures": "The figures of the plot",
    },
}


def figure(plot: Plot, snippet: Snippet, records: list[Record], lang: Language) -> str:
    """The HTML of a plot: a chart per record that holds it, or that there is none.

    Raises GuideError where a record's lines are not those that the plot expects.
    """
    words = plot.words(lang)
    found = [(record, held) for record in records if (held := points(plot, snippet, record))]
    parts = [f'<figure class="plot" data-plot="{plot.name}">']
    parts.append(f'<figcaption class="plot__title">{escape(words["title"])}</figcaption>')
    if not found:
        missing = _WORDS[lang]["none" if snippet.needs.kind == "cuda" else "none_cpu"]
        parts.append(f'<p class="plot__none">{missing}</p>')
    for record, held in found:
        try:
            parts.append(_chart(plot, held, lang))
        except ValueError as error:
            what = (
                f"plot {plot.name!r}: what {snippet.name} printed on {record.environment.id} "
                f"cannot be drawn: {error}"
            )
            remedy = "correct 'kind' or 'line' in data/plots.yml"
            raise fault(None, None, what, remedy) from None
        notes = "".join(f" · {escape(note)}" for note in held.notes)
        (claim,) = run_claims(snippet, record.machine(snippet.name))[lang]
        parts.append(f'<p class="plot__evidence">{escape(claim)}{notes}</p>')
        parts.append(_table(plot, held, lang))
    return "\n".join([*parts, "</figure>"])


def _chart(plot: Plot, held: Points, lang: Language) -> str:
    words = plot.words(lang)
    series = [
        (getattr(one, lang), [values[index] for _, values in held.rows])
        for index, one in enumerate(plot.series)
    ]
    if plot.kind == "bars":
        return charts.bars(_names(plot, held, lang), series, words["title"])
    xs = [float(x) for x, _ in held.rows]
    return charts.lines(xs, series, words["x"], words["y"], words["title"])


def _names(plot: Plot, held: Points, lang: Language) -> list[str]:
    return [plot.names.get(x, {}).get(lang, x) for x, _ in held.rows]


def _table(plot: Plot, held: Points, lang: Language) -> str:
    head = [plot.words(lang)["x"], *(getattr(one, lang) for one in plot.series)]
    rows = [
        [name, *map(charts.number, values)]
        for name, (_, values) in zip(_names(plot, held, lang), held.rows, strict=True)
    ]
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<details><summary>{_WORDS[lang]['figures']}</summary>"
        f'<table class="plot__figures"><thead><tr>{cells}</tr></thead>'
        f"<tbody>{lines}</tbody></table></details>"
    )

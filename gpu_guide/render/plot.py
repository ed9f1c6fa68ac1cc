"""The Markdown extension behind a fence that names a plot.

    ```plot
    speed/crossover
    ```

becomes a chart per machine whose record holds today's snippet; where none does, the page says so.
It is a plain Python-Markdown extension, like gpu_guide.render.snippet.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension

from gpu_guide import ROOT
from gpu_guide.data.plots import PLOTS, Plot, Points, load_plots, points
from gpu_guide.problems import GuideError, did_you_mean, fault
from gpu_guide.records.evidence import run_claims
from gpu_guide.records.store import RECORDS, Record
from gpu_guide.render import charts
from gpu_guide.render.fences import Fault, render_fences
from gpu_guide.render.loaded import loaded
from gpu_guide.snippets.model import SNIPPETS, Language, Snippet

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


class PlotExtension(Extension):
    """Options: `language` (zh or en); `plots` (a file), `snippets`, `records`, `docs` (folders),
    for the tests."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "language": ["zh", "zh or en"],
            "plots": [str(PLOTS), "what is plotted"],
            "snippets": [str(SNIPPETS), "where the snippets lie"],
            "records": [str(RECORDS), "where the records lie"],
            "docs": [str(ROOT / "docs"), "where the pages lie: only to name one in an error"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:
        """Render the fences of the kind `plot`."""
        lang: Language = self.getConfig("language")

        def render(body: list[str], count: int) -> str:
            return self._rendered(body, lang)

        render_fences(md, "plot", render, Path(self.getConfig("docs")) / lang)

    def _rendered(self, body: list[str], lang: Language) -> str:
        if len(body) != 1:
            raise Fault("not one name in a plot fence", "write the name of one plot")
        plots = load_plots(Path(self.getConfig("plots")))
        plot = plots.get(body[0])
        if plot is None:
            remedy = did_you_mean(body[0], plots, f"the plots are {', '.join(plots)}")
            raise Fault(f"no plot {body[0]!r}", remedy)
        snippets, records = loaded(
            Path(self.getConfig("snippets")), Path(self.getConfig("records"))
        )
        if plot.snippet not in snippets:
            raise Fault(f"plot {plot.name!r}: no snippet {plot.snippet!r}", "name one that exists")
        try:
            return figure(plot, snippets[plot.snippet], records, lang)
        except GuideError as error:
            (problem,) = error.problems
            raise Fault(problem.what, problem.remedy) from None


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


def makeExtension(**kwargs: Any) -> PlotExtension:
    """What Python-Markdown calls to load `gpu_guide.render.plot`."""
    return PlotExtension(**kwargs)

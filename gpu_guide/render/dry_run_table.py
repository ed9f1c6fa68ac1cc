"""The table of memory/dry-run: peaks that others measured, and what a dry run says of them."""

from __future__ import annotations

from itertools import groupby

from markupsafe import Markup

from gpu_guide.dry_run.published import COLUMNS, KINDS, Figure, Peak, compared, error
from gpu_guide.dry_run.words import Words as DryRunWords
from gpu_guide.project import Project
from gpu_guide.render.table import Cell, Table
from gpu_guide.render.words import Words

_UNIT = 2**30


def published(project: Project, say: Words) -> Markup:
    """Raises GuideError where a figure has not been run dry."""
    words = DryRunWords(say.language)
    rows: list[list[str | Cell]] = []
    days: dict[str, list[tuple[str, str]]] = {}
    for by, group in groupby(compared(project), key=lambda pair: pair[0].by):
        pairs = list(group)
        source = by.source, by.title
        days.setdefault(str(by.read), [])
        if source not in days[str(by.read)]:
            days[str(by.read)].append(source)
        named: list[str | Cell] = [Cell(by.title, len(pairs))]
        for pair in pairs:
            rows.append([*_row(*pair, words), *named])
            named = []
    return Table([words(key) for key in COLUMNS], rows, [*days.items()]).html(say)


def _row(figure: Figure, peak: Peak, words: DryRunWords) -> list[str]:
    measured = f"{figure.bytes / _UNIT:.2f} GiB {words(KINDS[figure.kind])}"
    said = f"{peak.of(figure) / _UNIT:.2f} GiB"
    return [figure.setting, measured, said, f"{round(100 * error(figure, peak), 1) + 0:+.1f} %"]

"""The tables of memory/dry-run: peaks that were measured, and what a dry run says of them."""

from __future__ import annotations

from itertools import groupby

from markupsafe import Markup

from gpu_guide.dry_run import measured as on_gpus
from gpu_guide.dry_run import public as of_others
from gpu_guide.dry_run.cards import chosen
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


def measured(project: Project, say: Words) -> Markup:
    """Our own scripts on a GPU. Raises GuideError where one has not been run dry."""
    words = DryRunWords(say.language)
    heads = [words(key) for key in on_gpus.COLUMNS]
    rows: list[list[str | Cell]] = [
        [
            one.setting.name[say.language],
            _size(one.measured.allocated),
            _percent(one.allocated),
            _size(one.measured.reserved),
            _percent(one.reserved),
        ]
        for one in on_gpus.compared(project)
        if one.setting.is_own
    ]
    return Table(heads, rows, []).html(say)


def public(project: Project, say: Words) -> Markup:
    """Scripts of others. Raises GuideError where one has not been run dry."""
    words = DryRunWords(say.language)
    rows: list[list[str | Cell]] = []
    days: dict[str, list[tuple[str, str]]] = {}
    for script, ran in of_others.compared(project):
        card = chosen(script.card, project).name.removeprefix("NVIDIA ")
        rows.append(
            [
                script.name[say.language],
                script.loop,
                f"{script.count} × {card}" if script.count > 1 else card,
                _size(ran.reserved),
                str(ran.steps),
                str(sum(ran.assumed.values())),
            ]
        )
        title = f"{script.repository.removeprefix('https://github.com/')}: `{script.program}`"
        days.setdefault(ran.date, []).append((script.address, title))
    return Table([words(key) for key in of_others.COLUMNS], rows, [*days.items()]).html(say)


def _size(size: int) -> str:
    return f"{size / _UNIT:.2f} GiB"


def _percent(share: float) -> str:
    return f"{round(100 * share, 1) + 0:+.1f} %"


def _row(figure: Figure, peak: Peak, words: DryRunWords) -> list[str]:
    published = f"{_size(figure.bytes)} {words(KINDS[figure.kind])}"
    return [figure.setting, published, _size(peak.of(figure)), _percent(error(figure, peak))]

"""The table of clouds that offer GPUs, in the language of the page."""

from __future__ import annotations

from gpu_guide.data.platforms import COLUMNS, Platforms
from gpu_guide.render.table import Table
from gpu_guide.render.template import backquoted
from gpu_guide.render.words import Words


def clouds(data: Platforms, say: Words) -> Table:
    """A row for each place that the language has texts of, and where they were read."""
    shown = [cloud for cloud in data.clouds if say.language in cloud.texts]
    rows = [
        [cloud.name, *(backquoted(cloud.texts[say.language][column]) for column in COLUMNS)]
        for cloud in shown
    ]
    days: dict[str, list[str]] = {}
    for cloud in shown:
        days.setdefault(cloud.read.isoformat(), []).extend(cloud.source)
    sources = [
        (day, [(s.url, s.title[say.language]) for s in data.sources if s.id in days[day]])
        for day in sorted(days, reverse=True)
    ]
    return Table(say.heads("clouds"), rows, sources)

"""The table of mirrors: when each was last known to work, in the language of the page."""

from __future__ import annotations

from gpu_guide.data.mirrors import NEVER, Mirrors
from gpu_guide.render.table import Table
from gpu_guide.render.template import backquoted
from gpu_guide.render.words import Words


def mirrors(data: Mirrors, say: Words) -> Table:
    """A row for each mirror, the last known to work first, and where that was read."""
    rows = []
    for mirror in sorted(data.mirrors, key=lambda mirror: mirror.worked, reverse=True):
        texts = mirror.texts[say.language]
        known = backquoted(texts["known"])
        if mirror.worked != NEVER:
            known = say("mirror_known", day=mirror.worked.isoformat(), known=known)
        rows.append([backquoted(f"`{mirror.address}`"), backquoted(texts["has"]), known])
    days: dict[str, list[str]] = {}
    for mirror in data.mirrors:
        days.setdefault(mirror.read.isoformat(), []).extend(mirror.source)
    sources = [
        (day, [(s.url, s.title[say.language]) for s in data.sources if s.id in days[day]])
        for day in sorted(days, reverse=True)
    ]
    return Table(say.heads("mirrors"), rows, sources)

"""The table of NCCL backends: what differs between them, in the language of the page."""

from __future__ import annotations

from gpu_guide.data.nccl import COLUMNS, Backends
from gpu_guide.render.table import Table
from gpu_guide.render.template import backquoted
from gpu_guide.render.words import Words


def backends(data: Backends, say: Words) -> Table:
    """The differences, a row each, and where they were read."""
    rows = [
        [backquoted(row[say.language][column]) for column in COLUMNS] for row in data.differences
    ]
    sources = [(data.read, [(data.source, data.names[say.language])])]
    return Table(say.heads("backends", since=data.since), rows, sources)

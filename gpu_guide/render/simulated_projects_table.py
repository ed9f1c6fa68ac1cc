"""The tables of check/test-without-gpu: other projects' tests on simulated GPUs, and faults."""

from __future__ import annotations

from markupsafe import Markup

from gpu_guide.data.simulated_projects import compared
from gpu_guide.project import Project
from gpu_guide.render.table import Table
from gpu_guide.render.template import backquoted
from gpu_guide.render.words import Words


def tests(project: Project, say: Words) -> Markup:
    """Raises GuideError where a project has no record."""
    rows, sources = [], []
    for one, found in compared(project):
        now, before = found.simulated, found.without
        ran = [str(counts["passed"] + counts["failed"]) for counts in (before, now)]
        rows.append([one.id, *ran, str(now["new"]), str(now["failed"]), str(now["refused"])])
        sources.append((f"{one.repository}/tree/{one.commit}", f"{one.id} ({one.license})"))
    days = {found.date for _, found in compared(project)}
    return Table(say.heads("others_tests"), rows, [(max(days), sources)]).html(say)


def faults(project: Project, say: Words) -> Markup:
    """A row for each kind of fault. Raises GuideError where a project has no record."""
    counts: dict[str, list[int]] = {}
    for one, found in compared(project):
        for planted, came in zip(one.faults, found.faults, strict=True):
            row = counts.setdefault(planted.kind, [0, 0, 0])
            for i, seen in enumerate((True, came["without"], came["simulated"])):
                row[i] += bool(seen)
    rows = [[backquoted(say(f"others_{kind}")), *map(str, row)] for kind, row in counts.items()]
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    rows.append([say("others_all"), *map(str, total)])
    return Table(say.heads("others_faults"), rows, []).html(say)

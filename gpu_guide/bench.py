"""`make bench`: what a snippet costs in the tests and a page in the build."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from pathlib import Path

from gpu_guide.project import Project
from gpu_guide.run.machine import describe
from gpu_guide.run.runner import Tier, run_snippet
from gpu_guide.run.tiers import plan
from gpu_guide.site.build import build
from gpu_guide.snippets.model import load_snippets


def bench(project: Project) -> int:
    """Print seconds per snippet for each tier, and seconds per page of a whole build."""
    here = describe()
    snippets = load_snippets(project)
    seconds: dict[Tier, list[float]] = defaultdict(list)
    first = True
    for snippet in snippets.values():
        for tier in plan(snippet, here).tiers:
            started = time.perf_counter()
            run_snippet(snippet, tier)
            taken = time.perf_counter() - started
            if first:
                print(f"first run, with the start of the fork server: {taken:.2f} s")
                started = time.perf_counter()
                run_snippet(snippet, tier)
                taken, first = time.perf_counter() - started, False
            seconds[tier].append(taken)
    for tier, taken in seconds.items():
        mean = sum(taken) / len(taken)
        print(f"{tier}: {mean:.3f} s a run, {max(taken):.3f} s at most, {len(taken)} runs")
    quick = sum(sum(seconds[tier]) for tier in (Tier.CPU, Tier.SIMULATED)) / len(snippets)
    print(f"cpu and simulated together: {quick:.3f} s a snippet, {len(snippets)} snippets")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        build(project, Path(folder, "site"))
        taken = time.perf_counter() - started
    pages = len(list(project.docs.rglob("*.md")))
    print(f"build: {taken:.2f} s, {taken / pages:.3f} s a page, {pages} pages")
    return 0

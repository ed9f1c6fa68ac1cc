"""`make bench`: what a snippet costs in the tests, a page in the build, and a site ten times as
large as the guide."""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from gpu_guide.project import Project
from gpu_guide.run.machine import describe
from gpu_guide.run.runner import Tier, run_snippet
from gpu_guide.run.tiers import plan
from gpu_guide.site.build import build
from gpu_guide.site.scale import larger
from gpu_guide.snippets.model import load_snippets

MANY = 1000
"""Pages a language of the larger site."""


def bench(project: Project, parts: Sequence[str] = ()) -> int:
    """Measure these of `PARTS`, or all; return the exit status."""
    for part in parts or PARTS:
        PARTS[part](project)
    return 0


def bench_snippets(project: Project) -> None:
    """Print seconds per snippet for each tier."""
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


def bench_build(project: Project) -> None:
    """Print the seconds of a whole build, and per page."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        build(project, Path(folder, "site"))
        taken = time.perf_counter() - started
    pages = len(list(project.docs.rglob("*.md")))
    print(f"build: {taken:.2f} s, {taken / pages:.3f} s a page, {pages} pages")


def bench_large(project: Project) -> None:
    """Print what a site with `MANY` pages a language takes: time, memory, and the search index."""
    with tempfile.TemporaryDirectory() as folder:
        large, site = larger(project, Path(folder, "guide"), MANY), Path(folder, "site")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            cost = alone.submit(cost_of_build, large, site).result()
        languages = project.languages
        pages = {one: len(list((site / one).rglob("*.html"))) for one in languages}
        said = ", ".join(f"{count} in {language}/" for language, count in pages.items())
        print(f"large site: {said}, with those of messages")
        wall, cpu, peak = cost
        print(f"large site: {wall:.0f} s, {1000 * wall / sum(pages.values()):.0f} ms a page")
        if cpu:
            print(f"large site: {cpu:.0f} s of CPU time; {peak:.0f} MB at most, in one process")
        for language in languages:
            index = (site / language / "search" / "search_index.json").read_bytes()
            size, packed = len(index) / 1e6, len(gzip.compress(index, 9)) / 1e6
            print(f"search index of {language}/: {size:.1f} MB, {packed:.2f} MB gzipped")


def cost_of_build(project: Project, out: Path) -> tuple[float, float, float]:
    """Seconds, seconds of CPU time, and megabytes of the largest process of a build; the last two
    are 0 on Windows. To be called in a process of its own: all that it started is counted."""
    started = time.perf_counter()
    build(project, out)
    wall = time.perf_counter() - started
    if sys.platform == "win32":
        return wall, 0.0, 0.0
    import resource

    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = sum(one.ru_utime + one.ru_stime for one in (own, others))
    unit = 1 if sys.platform == "darwin" else 1024
    return wall, cpu, unit * max(own.ru_maxrss, others.ru_maxrss) / 1e6


PARTS = {"snippets": bench_snippets, "build": bench_build, "large": bench_large}

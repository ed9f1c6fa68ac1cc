"""`make record`: run snippets here, say what changed, write `records/<environment>.json`.

The record is written after each snippet, so that an interrupted run continues where it stopped.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.records.compare import compare_with_file, compare_with_record
from gpu_guide.records.schedule import schedule
from gpu_guide.records.store import (
    Entry,
    Record,
    load_records,
    merge,
    path_of,
    read,
    same_versions,
    write,
)
from gpu_guide.run.machine import CPU, Environment, describe
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Started, Tier, limit_on, start_snippet
from gpu_guide.run.side_by_side import side_by_side
from gpu_guide.run.tiers import not_recorded, recorded_tier
from gpu_guide.snippets.model import Snippet, load_snippets

ATTEMPTS = 3
"""How often code that measures is run until it passes: what else a machine does disturbs it."""


_NO_NVML = re.compile(r"NVML_SUCCESS == .* INTERNAL ASSERT FAILED")
"""What PyTorch says in place of "out of memory" where NVML does not answer: on a MIG instance, on a
Jetson (pytorch#112377, #185240). That is the device's doing, not the code's."""


def record(
    names: Sequence[str] = (),
    *,
    again: bool = False,
    jobs: int = 1,
    until: float | None = None,
    project: Project,
    folder: Path | None = None,
    snippets: Mapping[str, Snippet] | None = None,
    here: Environment | None = None,
    say: Callable[[str], None] = print,
) -> int:
    """Record the snippets `names`, or all, in this environment and return the exit status.

    A name is that of a snippet or of a topic. What is recorded of today's code with these versions
    is not run, unless `again`; what is recorded of other snippets is kept. So many `jobs` run at a
    time, except for what has to run alone, and none begins when it is `until` by the clock of
    time.monotonic(). The record is written to `folder`, by default that of the project.

    0: all that can run here is recorded. 1: some failed, or there was no time left for them; what
    was known of them is kept. 2: a CPU build, whose outputs stand in the snippets. Raises
    GuideError for an unknown name, or if the record is of other versions, where recording a part
    would lose the rest.
    """
    here = here or describe()
    if here.id == CPU:
        say(
            "This is a CPU build of torch: what it prints stands in the snippets themselves "
            "(`pytest --update-examples` writes it). There is nothing to record here."
        )
        return 2
    snippets = load_snippets(project) if snippets is None else snippets
    folder = folder or project.records
    chosen = _chosen(names, snippets)
    path = path_of(here.id, folder)
    old = read(path) if path.exists() else None
    known = merge(old, Record(here, {}), snippets)
    if old and names and not same_versions(old.environment, here):
        what = "made with other versions, of which a record has only one set"
        remedy = "run `make record` without names, which records everything anew"
        raise fault(path, None, what, remedy)
    say(f"{here.id}: torch {here.torch}, CUDA {here.cuda}, Python {here.python}, {here.gpus} GPU")
    kept = [one.name for one in chosen if not again and known.fresh(one)]
    tiers = _tiers([one for one in chosen if one.name not in kept], here, say)
    recorded, failed, left = [], [], []
    for snippet, found in _runs(tiers, load_records(project), jobs, until, say):
        if found is None:
            left.append(snippet.name)
        elif isinstance(found, str):
            if _NO_NVML.search(found):
                say(f"  not here  {snippet.name}: needs NVML, or PyTorch cannot tell what is full")
                continue
            failed.append(snippet.name)
            say(f"  FAILED    {snippet.name}: {found}")
        else:
            recorded.append(snippet.name)
            known = merge(known, Record(here, {snippet.name: found}), snippets)
            write(known, folder)
            say(f"  {_verdict(snippet, found, old, here)}")
    for name in sorted(set(old.entries if old else ()) - known.entries.keys()):
        say(f"  dropped   {name}: recorded with other versions, or gone")
    if old is None or known.entries.keys() < old.entries.keys():
        write(known, folder)
    say(f"{len(recorded)} recorded, {len(failed)} failed: {path}")
    if kept:
        say(f"{len(kept)} are of this code and these versions already (--again runs them, too)")
    if left:
        say(f"{len(left)} left for want of time, with which the same command goes on:")
        say(f"  {' '.join(left)}")
    return 1 if failed or left else 0


def _tiers(
    snippets: Iterable[Snippet], here: Environment, say: Callable[[str], None]
) -> dict[str, tuple[Snippet, Tier]]:
    """By name the tier on which each snippet can run here; says why the others cannot."""
    tiers = {}
    for snippet in snippets:
        if tier := recorded_tier(snippet, here):
            tiers[snippet.name] = snippet, tier
        elif why := not_recorded(snippet, here):
            say(f"  not here  {snippet.name}: {why}")
    return tiers


def _runs(
    tiers: Mapping[str, tuple[Snippet, Tier]],
    records: Sequence[Record],
    jobs: int,
    until: float | None,
    say: Callable[[str], None],
) -> Iterator[tuple[Snippet, Entry | str | None]]:
    """Each snippet with what it printed, what went wrong, or None if there was no time for it."""
    phases = schedule([snippet for snippet, _ in tiers.values()], records)

    def begin(snippet: Snippet) -> Started:
        left = None if until is None else max(1.0, until - time.monotonic())
        limit = limit_on(tiers[snippet.name][1])
        return start_snippet(
            snippet,
            tiers[snippet.name][1],
            time_limit=limit if left is None else min(limit, left),
        )

    for phase in phases:
        for snippet, run in side_by_side(phase.snippets, begin, 1 if phase.alone else jobs, until):
            attempt = 1
            # What measures runs alone, so that nothing else waits for further attempts.
            while run and run.outcome != "passed" and attempt < _attempts(snippet, run):
                say(f"  once more {snippet.name}: {run.problem.splitlines()[0]}")
                run, attempt = begin(snippet).finish(), attempt + 1
            late = until is not None and time.monotonic() >= until
            if run is None or (late and run.outcome != "passed"):
                yield snippet, None
            else:
                yield snippet, _entry(snippet, run, tiers[snippet.name][1], attempt)


def _attempts(snippet: Snippet, run: Run) -> int:
    return ATTEMPTS if snippet.measures and not _NO_NVML.search(run.problem) else 1


def _entry(snippet: Snippet, run: Run, tier: Tier, attempt: int) -> Entry | str:
    """What is kept of a run, or what went wrong."""
    if run.outcome != "passed":
        return run.problem
    try:
        prints = run.prints(snippet)
    except ValueError as error:
        return str(error)
    return Entry(snippet.sha256, prints, None if tier is Tier.STAND_IN else run.seconds, attempt)


def _chosen(names: Sequence[str], snippets: Mapping[str, Snippet]) -> list[Snippet]:
    """The snippets of these names and topics, or all. Raises GuideError for an unknown one."""
    topics = {name.partition("/")[0] for name in snippets}
    for name in names:
        if name not in snippets and name not in topics:
            remedy = did_you_mean(name, snippets, f"topics are {', '.join(sorted(topics))}")
            raise fault(None, None, f"no snippet {name!r}", remedy)
    wanted = set(names)
    return [s for s in snippets.values() if not names or {s.name, s.name.split("/")[0]} & wanted]


def _verdict(snippet: Snippet, entry: Entry, old: Record | None, here: Environment) -> str:
    before = old.entries.get(snippet.name) if old else None
    if snippet.measures:
        return f"measured  {snippet.name}"
    if before is None:
        differs = compare_with_file(snippet, entry.prints) if snippet.outputs else ""
        return f"new       {snippet.name}" + (f", unlike the file's:\n{differs}" if differs else "")
    differs = compare_with_record(snippet, entry.prints, before.prints, here.id)
    return f"changed   {snippet.name}\n{differs}" if differs else f"same      {snippet.name}"

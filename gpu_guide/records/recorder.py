"""`make record`: run snippets here, say what changed, write `records/<environment>.json`.

The record is written after each snippet, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.records.compare import compare_with_file, compare_with_record
from gpu_guide.records.store import (
    Entry,
    Record,
    merge,
    path_of,
    read,
    same_versions,
    write,
)
from gpu_guide.run.machine import CPU, Environment, describe
from gpu_guide.run.runner import Tier, run_snippet
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
    project: Project,
    snippets: Mapping[str, Snippet] | None = None,
    here: Environment | None = None,
    say: Callable[[str], None] = print,
) -> int:
    """Record the snippets `names`, or all, in this environment and return the exit status.

    A name is that of a snippet or of a topic. What is recorded of today's code with these versions
    is not run, unless `again`; what is recorded of other snippets is kept.

    0: all that can run here is recorded. 1: some failed; what was known of them is kept. 2: a CPU
    build, whose outputs stand in the snippets. Raises GuideError for an unknown name, or
    if the record is of other versions, where recording a part would lose the rest.
    """
    here = here or describe()
    if here.id == CPU:
        say(
            "This is a CPU build of torch: what it prints stands in the snippets themselves "
            "(`pytest --update-examples` writes it). There is nothing to record here."
        )
        return 2
    snippets = load_snippets(project) if snippets is None else snippets
    folder = project.records
    chosen = _chosen(names, snippets)
    path = path_of(here.id, folder)
    old = read(path) if path.exists() else None
    known = merge(old, Record(here, {}), snippets)
    if old and names and not same_versions(old.environment, here):
        what = "made with other versions, of which a record has only one set"
        remedy = "run `make record` without names, which records everything anew"
        raise fault(path, None, what, remedy)
    say(f"{here.id}: torch {here.torch}, CUDA {here.cuda}, Python {here.python}, {here.gpus} GPU")
    kept, recorded, failed = [], [], []
    for snippet in chosen:
        if not again and known.fresh(snippet):
            kept.append(snippet.name)
            continue
        tier = recorded_tier(snippet, here)
        if tier is None:
            if why := not_recorded(snippet, here):
                say(f"  not here  {snippet.name}: {why}")
            continue
        try:
            entry = _run(snippet, tier, say)
        except ValueError as error:
            if _NO_NVML.search(str(error)):
                say(f"  not here  {snippet.name}: needs NVML, or PyTorch cannot tell what is full")
                continue
            failed.append(snippet.name)
            say(f"  FAILED    {snippet.name}: {error}")
            continue
        recorded.append(snippet.name)
        known = merge(known, Record(here, {snippet.name: entry}), snippets)
        write(known, folder)
        say(f"  {_verdict(snippet, entry, old, here)}")
    for name in sorted(set(old.entries if old else ()) - known.entries.keys()):
        say(f"  dropped   {name}: recorded with other versions, or gone")
    if old is None or known.entries.keys() < old.entries.keys():
        write(known, folder)
    say(f"{len(recorded)} recorded, {len(failed)} failed: {path}")
    if kept:
        say(f"{len(kept)} are of this code and these versions already (--again runs them, too)")
    return 1 if failed else 0


def _chosen(names: Sequence[str], snippets: Mapping[str, Snippet]) -> list[Snippet]:
    """The snippets of these names and topics, or all. Raises GuideError for an unknown one."""
    topics = {name.partition("/")[0] for name in snippets}
    for name in names:
        if name not in snippets and name not in topics:
            remedy = did_you_mean(name, snippets, f"topics are {', '.join(sorted(topics))}")
            raise fault(None, None, f"no snippet {name!r}", remedy)
    wanted = set(names)
    return [s for s in snippets.values() if not names or {s.name, s.name.split("/")[0]} & wanted]


def _run(snippet: Snippet, tier: Tier, say: Callable[[str], None]) -> Entry:
    """What the snippet printed, after so many attempts as it took. Raises ValueError."""
    attempts = ATTEMPTS if snippet.measures else 1
    for attempt in range(1, attempts + 1):
        run = run_snippet(snippet, tier)
        if run.outcome == "passed":
            seconds = None if tier is Tier.STAND_IN else run.seconds
            return Entry(snippet.sha256, run.prints(snippet), seconds, attempt)
        if _NO_NVML.search(run.problem):
            break
        if attempt < attempts:
            say(f"  once more {snippet.name}: {run.problem.splitlines()[0]}")
    raise ValueError(run.problem)


def _verdict(snippet: Snippet, entry: Entry, old: Record | None, here: Environment) -> str:
    before = old.entries.get(snippet.name) if old else None
    if snippet.measures:
        return f"measured  {snippet.name}"
    if before is None:
        differs = compare_with_file(snippet, entry.prints) if snippet.outputs else ""
        return f"new       {snippet.name}" + (f", unlike the file's:\n{differs}" if differs else "")
    differs = compare_with_record(snippet, entry.prints, before.prints, here.id)
    return f"changed   {snippet.name}\n{differs}" if differs else f"same      {snippet.name}"

"""Assessment of a snippet's run: its output is compared, or may be written."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gpu_guide.records.compare import (
    compare,
    compare_with_file,
    compare_with_record,
    numbered,
)
from gpu_guide.records.store import Record
from gpu_guide.run.machine import CPU, Environment
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Tier
from gpu_guide.run.stand_in_limits import speaks_for
from gpu_guide.run.tiers import recorded_tier
from gpu_guide.snippets.model import Printed, Snippet


def problem_with(
    snippet: Snippet, tier: Tier, run: Run, here: Environment, records: Collection[Record]
) -> str:
    """Why `run` of `snippet` on `tier` counts as failed; "" where it is as it should be."""
    refusable = tier is Tier.SIMULATED and snippet.needs.kind == "any"
    if tier is Tier.SIMULATED and not snippet.simulated:
        if run.outcome == "not-simulated":
            return ""
        return (
            f"'# simulated: no', but simulated devices did not refuse it: delete the line\n"
            f"{run.problem}"
        )
    if run.outcome == "not-simulated" and refusable:
        return ""
    if run.outcome != "passed":
        return run.problem
    try:
        printed = run.prints(snippet)
    except ValueError as error:
        return str(error)
    return _compare(snippet, tier, printed, here, records)


def is_repeated(snippet: Snippet, tier: Tier) -> bool:
    """Whether it is run again under other conditions: on the tier whose output is shown.

    What needs other libraries is not: importing them takes ten seconds, in a process of its own.
    """
    usual = Tier.SIMULATED if snippet.needs.kind == "cuda" else Tier.CPU
    once = snippet.measures or snippet.needs.libraries
    return not once and tier in (usual, Tier.TORCHRUN)


def differs_when_varied(snippet: Snippet, run: Run, again: Run) -> str:
    """Why `again`, a run under other conditions, is not like `run`; "" where it is."""
    conditions = (
        "run once more with other threads, another hash seed, generators seeded otherwise, another "
        "home and working folder"
    )
    if again.outcome != "passed":
        return f"{conditions}:\n{again.problem}"
    old, new = numbered(run.prints(snippet)), numbered(again.prints(snippet))
    remedy = "seed what is random, sort what has no order, or declare '# measures: yes'"
    return compare(snippet, old, new, conditions, remedy)


def belongs_in_file(snippet: Snippet, tier: Tier, here: Environment) -> bool:
    """Whether the `#>` lines of the file must be what this tier prints here."""
    pinned = here.id == CPU or tier is Tier.SIMULATED or bool(snippet.needs.libraries)
    return _kept_in_file(snippet, tier, here) and pinned


def may_be_written(
    snippet: Snippet, tier: Tier, run: Run, here: Environment, records: Collection[Record]
) -> bool:
    """Whether the `#>` lines of the file may be written from what this tier printed here.

    They are the CPU build's. Another build prints the same of most code, so it may write them, too;
    but not over lines of code that has not changed since some machine recorded it.
    """
    if belongs_in_file(snippet, tier, here):
        return True
    if not _kept_in_file(snippet, tier, here) or run.outcome != "passed":
        return False
    try:
        printed = run.prints(snippet)
    except ValueError:
        return False
    known = any(record.fresh(snippet) for record in records)
    return not known or _lacks_output(snippet, printed)


def _lacks_output(snippet: Snippet, printed: Iterable[Printed]) -> bool:
    """Whether a print printed that has no output in the file, and all that have one printed."""
    return {p.statement for p in snippet.outputs} < {p.statement for p in printed}


def _kept_in_file(snippet: Snippet, tier: Tier, here: Environment) -> bool:
    """Whether the file holds the output of this tier, on whatever build of torch."""
    if snippet.measures or not snippet.simulated:
        return False
    if snippet.needs.libraries:
        return True  # their environment has the pinned CPU build, and sees no GPU
    if tier is Tier.TORCHRUN:
        return here.gpus < snippet.needs.count  # else its processes talk on GPUs
    return tier is (Tier.SIMULATED if snippet.needs.kind == "cuda" else Tier.CPU)


def _stands_in_for_ranks(snippet: Snippet, tier: Tier) -> bool:
    """Whether its ranks talk by NCCL on stand-ins, and say what they say by gloo."""
    is_one = tier is Tier.STAND_IN and snippet.needs.kind == "torchrun"
    return is_one and not snippet.measures and speaks_for(snippet)


def _compare(
    snippet: Snippet,
    tier: Tier,
    printed: tuple[Printed, ...],
    here: Environment,
    records: Collection[Record],
) -> str:
    if belongs_in_file(snippet, tier, here):
        return compare_with_file(snippet, printed)
    if _kept_in_file(snippet, tier, here) and _lacks_output(snippet, printed):
        return compare_with_file(snippet, printed)
    if _stands_in_for_ranks(snippet, tier):
        return compare_with_file(snippet, printed)
    if snippet.measures or tier is not recorded_tier(snippet, here):
        return ""
    if tier is Tier.STAND_IN and snippet.simulated:
        return compare_with_file(snippet, printed)
    for record in records:
        same_machine = record.environment.id == here.id and record.environment.torch == here.torch
        if same_machine and (entry := record.fresh(snippet)):
            return compare_with_record(snippet, printed, entry.prints, here.id)
    return ""

"""Where a snippet runs on the machine at hand, and what its output is compared with there."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gpu_guide.records.compare import compare_with_file, compare_with_record
from gpu_guide.records.store import Record
from gpu_guide.run.machine import CPU, Abilities, Environment, abilities
from gpu_guide.run.runner import Run, Tier
from gpu_guide.snippets.model import Printed, Snippet

_DEVICES = re.compile(r"\b(cuda|accelerator)\b")

LEAST_FREE = 4 * 2**30
"""Bytes of GPU memory that must be free for what only a GPU can answer: memory and timing."""


@dataclass(frozen=True)
class Plan:
    """The tiers of one snippet here, and the reason why one is left out ("" if none is)."""

    tiers: tuple[Tier, ...]
    not_run: str = ""


def plan(snippet: Snippet, here: Environment, able: Abilities | None = None) -> Plan:
    """Every tier that the machine `here` can offer `snippet`.

    `able` is what else that machine can do; this one is asked where it is left out.
    """
    needs = snippet.needs
    if needs.linux and not (able or abilities(here.has_gpu)).linux:
        return Plan((), "needs Linux")
    if needs.kind == "torchrun":
        return Plan((Tier.TORCHRUN,))
    if needs.kind == "cuda":
        missing = f"needs {needs.count} GPUs" if needs.count > 1 else "needs a GPU"
        if here.gpus < needs.count:
            return Plan((Tier.SIMULATED,), missing)
        if missing := _missing(snippet, here, able):
            return Plan((Tier.SIMULATED,), missing)
        return Plan((Tier.SIMULATED, Tier.GPU))
    tiers = [Tier.CPU]
    if _speaks_of_devices(snippet):
        tiers.append(Tier.SIMULATED)
    if here.has_gpu:
        tiers.append(Tier.GPU)
    return Plan(tuple(tiers))


def _speaks_of_devices(snippet: Snippet) -> bool:
    """Whether a name, an attribute or a string of the code does: not its title, not a comment."""
    tree = ast.parse(snippet.source)
    words: list[str] = []
    for node in (node for statement in tree.body[1:] for node in ast.walk(statement)):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                words.append(word)
            case ast.alias(name=word):
                words.append(word)
    return any(_DEVICES.search(word) for word in words)


def _missing(snippet: Snippet, here: Environment, able: Abilities | None) -> str:
    """Which need of a snippet for GPUs this machine's GPUs do not meet; "" if they meet all."""
    needs = snippet.needs
    able = able or abilities(here.has_gpu)
    if not snippet.simulated and 0 < able.free < LEAST_FREE:
        return "needs 4 GiB of free GPU memory"
    if needs.capability and able.capability < needs.capability:
        return "needs compute capability {}.{}".format(*needs.capability)
    if needs.triton and not able.triton:
        return "needs Triton and a C compiler"
    if needs.no_wddm and able.wddm:
        return "needs a system other than Windows and WSL2"
    return ""


def recorded_tier(
    snippet: Snippet, here: Environment, able: Abilities | None = None
) -> Tier | None:
    """The tier whose output a record of this environment holds; None if it cannot run here."""
    tiers = [tier for tier in plan(snippet, here, able).tiers if tier is not Tier.SIMULATED]
    return Tier.GPU if Tier.GPU in tiers else next(iter(tiers), None)


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


def belongs_in_file(snippet: Snippet, tier: Tier, here: Environment) -> bool:
    """Whether the `#>` lines of the file must be what this tier prints here."""
    return _kept_in_file(snippet, tier, here) and (here.id == CPU or tier is Tier.SIMULATED)


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
    """Whether this is the tier whose output stands in the file, on whatever build of torch."""
    if snippet.measures or not snippet.simulated:
        return False
    if tier is Tier.TORCHRUN:
        return here.gpus < snippet.needs.count  # else its processes talk on GPUs
    return tier is (Tier.SIMULATED if snippet.needs.kind == "cuda" else Tier.CPU)


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
    if snippet.measures or tier is not recorded_tier(snippet, here):
        return ""
    for record in records:
        same_machine = record.environment.id == here.id and record.environment.torch == here.torch
        if same_machine and (entry := record.fresh(snippet)):
            return compare_with_record(snippet, printed, entry.prints, here.id)
    return ""

"""Where a snippet runs on the machine at hand, and what its output is compared with there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpu_guide.environment import CPU, Abilities, Environment, abilities
from gpu_guide.outputs import compare_with_file, compare_with_record
from gpu_guide.records import Record
from gpu_guide.runner import Run, Tier
from gpu_guide.snippets import Needs, Printed, Snippet

_SPEAKS_OF_DEVICES = re.compile(r"\b(cuda|accelerator)\b")


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
        if missing := _missing(needs, here, able):
            return Plan((Tier.SIMULATED,), missing)
        return Plan((Tier.SIMULATED, Tier.GPU))
    tiers = [Tier.CPU]
    if _SPEAKS_OF_DEVICES.search(snippet.code("en", outputs=())):
        tiers.append(Tier.SIMULATED)
    if here.has_gpu:
        tiers.append(Tier.GPU)
    return Plan(tuple(tiers))


def _missing(needs: Needs, here: Environment, able: Abilities | None) -> str:
    """Which need of a snippet for GPUs this machine's GPUs do not meet; "" if they meet all."""
    if not (needs.capability or needs.triton or needs.no_wddm):
        return ""
    able = able or abilities(here.has_gpu)
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
    snippet: Snippet, tier: Tier, run: Run, here: Environment, records: Iterable[Record]
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
    """Whether the `#>` lines of the file are what this tier prints."""
    if snippet.measures or not snippet.simulated:
        return False
    if tier is Tier.SIMULATED:
        return snippet.needs.kind == "cuda"
    return tier in (Tier.CPU, Tier.TORCHRUN) and here.id == CPU


def _compare(
    snippet: Snippet,
    tier: Tier,
    printed: tuple[Printed, ...],
    here: Environment,
    records: Iterable[Record],
) -> str:
    if belongs_in_file(snippet, tier, here):
        return compare_with_file(snippet, printed)
    if snippet.measures or tier is not recorded_tier(snippet, here):
        return ""
    for record in records:
        same_machine = record.environment.id == here.id and record.environment.torch == here.torch
        if same_machine and (entry := record.fresh(snippet)):
            return compare_with_record(snippet, printed, entry.prints, here.id)
    return ""

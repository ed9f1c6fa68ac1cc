"""Whether the guide notices a fault in a snippet: by reading it, and then by running it on each
tier of this machine."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from gpu_guide.faults.snippets import Fault
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.records import simulated
from gpu_guide.records.assess import differs_when_varied, is_repeated, problem_with
from gpu_guide.records.store import Record
from gpu_guide.run.machine import Environment
from gpu_guide.run.runner import Tier, run_snippet
from gpu_guide.run.tiers import plan
from gpu_guide.snippets import device_choice, distributed_setup, placement, rules
from gpu_guide.snippets.model import Snippet, parse

READING = "reading"
"""What runs no code: the format, the frame of torchrun snippets, which device is taken and where
things are placed."""
TIME_LIMIT = 30.0
"""Seconds for a run of faulty code: a deadlock is noticed by it."""


@dataclass(frozen=True)
class Verdict:
    """Who noticed a fault first."""

    caught_by: str
    """READING, the name of a tier, or "" where nobody noticed."""
    told: str
    """The message, or what did not look."""
    runs: bool
    """Whether the snippet ran on some tier at all."""


def judge(
    snippet: Snippet,
    fault: Fault,
    here: Environment,
    records: Collection[Record],
    project: Project,
    scratch: Path,
) -> Verdict:
    """Read the faulty text, then run it on every tier that `here` offers, as the tests do.

    The snippet is one of `project`, and has to pass. `scratch` is a folder for the faulty file.
    """
    for config in project.configs.values():
        shutil.copyfile(config, scratch / config.name)
    other = Project(scratch)
    path = other.snippets / f"{snippet.name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fault.source, encoding="utf-8", newline="\n")
    try:
        faulty = parse(path, other)
    except GuideError as error:
        return Verdict(READING, str(error), True)
    if told := [*map(str, rules.check(faulty)), *_of_code(snippet, faulty)]:
        return Verdict(READING, told[0], True)
    faulty = replace(faulty, path=snippet.path)
    # It is compared with the records of the snippet, which are bound to that one's code.
    faulty.__dict__["sha256"] = snippet.sha256
    tiers = plan(snippet, here).tiers
    for tier in tiers:
        if told := _on(tier, faulty, here, records, project.simulated_record):
            return Verdict(str(tier), told, True)
    return Verdict("", plan(snippet, here).not_run, bool(tiers) and _really(snippet, tiers))


def _of_code(snippet: Snippet, faulty: Snippet) -> list[str]:
    """What the checks of frame, device and placement find, but for what the snippet is
    let off."""
    right = {what for _, what, _ in device_choice.found(snippet.source)}
    told = device_choice.faults(faulty.source, faulty.path, right)
    if not distributed_setup.faults(snippet.source, snippet.path):
        told += distributed_setup.faults(faulty.source, faulty.path)
    if placement.applies(snippet.source):
        let_off = {what for _, what in placement.left(snippet.source)}
        told += placement.faults(faulty.source, faulty.path, let_off)
    return told


def _on(
    tier: Tier, faulty: Snippet, here: Environment, records: Collection[Record], simulation: Path
) -> str:
    """What the tests say of the faulty snippet on this tier; "" if nothing."""
    strict = tier not in (Tier.GPU, Tier.STAND_IN)
    limit = None if tier is Tier.STAND_IN else TIME_LIMIT
    run = run_snippet(faulty, tier, time_limit=limit, strict=strict)
    if told := problem_with(faulty, tier, run, here, records):
        return told
    if run.outcome != "passed":
        return ""
    try:
        printed = run.prints(faulty)
    except ValueError as error:
        return str(error)
    compared = simulated.keeps(faulty, tier, here, simulation)
    compared = compared or simulated.answers(faulty, tier, simulation)
    if compared and (told := simulated.problem_with(faulty, printed, simulation)):
        return told
    if is_repeated(faulty, tier):
        again = run_snippet(faulty, tier, time_limit=limit, strict=True, varied=True)
        return differs_when_varied(faulty, run, again)
    return ""


def _really(snippet: Snippet, tiers: tuple[Tier, ...]) -> bool:
    """Whether one of the tiers runs the code to its end: pretended GPUs refuse some of it."""
    return snippet.simulated or any(tier is not Tier.SIMULATED for tier in tiers)

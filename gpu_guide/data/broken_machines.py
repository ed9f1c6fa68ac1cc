"""Typed access to `data/broken_machines.yml`: machines on which CUDA fails.

A malformed file is refused with file, line, key and remedy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpu_guide.data.cards import card
from gpu_guide.data.entries import entries, only_once, typed
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.stand_in.machine import StandIn

CARD = "rtx-4060"
"""The card of the machines that name no other in their settings: a laptop's, as readers have."""

_SETTINGS = re.compile(r"STAND_IN_[A-Z_]+|CUDA_VISIBLE_DEVICES|CUDA_LAUNCH_BLOCKING")
_ANSWER = re.compile(r"[\w/-]+#[\w-]+")


@dataclass(frozen=True)
class BrokenMachine:
    """One machine; data/broken_machines.yml says at its top what the keys mean."""

    id: str
    what: str
    settings: Mapping[str, str] = field(hash=False)
    answer: str = ""
    nvidia_smi: str = ""
    survives: bool = False


def load_broken_machines(project: Project) -> dict[str, BrokenMachine]:
    """The machines by id, in the order of data/broken_machines.yml. Raises GuideError."""
    path = project.broken_machines
    machines: dict[str, BrokenMachine] = {}
    for line, entry in entries(path):
        machine = typed(path, line, BrokenMachine, entry)
        only_once(path, line, "id", machine.id, machines)
        for name in machine.settings:
            if not _SETTINGS.fullmatch(name):
                remedy = "set STAND_IN_…, CUDA_VISIBLE_DEVICES or CUDA_LAUNCH_BLOCKING"
                raise fault(path, line, f"settings: {name!r}", remedy)
        if not machine.settings:
            raise fault(path, line, "settings: none", "set what makes the machine broken")
        if machine.survives == bool(machine.answer):
            remedy = "give 'answer: page#id', or 'survives: true' where nothing has to be answered"
            raise fault(path, line, "answer: both or neither of answer and survives", remedy)
        if machine.answer and not _ANSWER.fullmatch(machine.answer):
            remedy = "write it like check/not-available#busy"
            raise fault(path, line, f"answer: {machine.answer!r}", remedy)
        machines[machine.id] = machine
    return machines


def broken_machine(id: str, project: Project) -> BrokenMachine:
    """The machine that is called `id`. Raises GuideError for one that is not there."""
    machines = load_broken_machines(project)
    if id not in machines:
        remedy = did_you_mean(id, machines)
        raise fault(project.broken_machines, None, f"no broken machine {id!r}", remedy)
    return machines[id]


def as_stand_ins(project: Project) -> dict[str, StandIn]:
    """What plays each machine of the project. Raises GuideError."""
    base = card(CARD, project)
    machines = load_broken_machines(project)
    return {id: StandIn.of(base, settings=one.settings) for id, one in machines.items()}

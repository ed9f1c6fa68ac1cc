"""The parts of a campaign: each is run in a process of its own, by `python -m gpu_guide.campaign`.

So a part that crashes, hangs or lacks a library costs that part only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.campaign import allocator, crosschecked, peaks
from gpu_guide.campaign.differences import as_markdown, differences
from gpu_guide.dry_run import measured
from gpu_guide.project import HERE, Project
from gpu_guide.records import recorder
from gpu_guide.records.schedule import needs_hardware
from gpu_guide.records.store import load_records, path_of, read
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import load_snippets

LABS = HERE.lab_records.name
DIFFERENCES = "differences.md"
SUMMARY = "campaign.json"
"""What machine this is, and what came of each part."""


@dataclass(frozen=True)
class Task:
    """What a part is given."""

    project: Project
    out: Path
    jobs: int
    until: float
    """By the clock of time.monotonic()."""
    say: Callable[[str], None] = print

    @property
    def here(self) -> Environment:
        """The machine, which was asked before the first part began."""
        summary = json.loads((self.out / SUMMARY).read_text(encoding="utf-8"))
        return Environment(**summary["environment"])


def what_only_a_gpu_can_tell(task: Task) -> int:
    """The snippets that need a GPU or measure."""
    return _snippets(task, rest=False)


def the_rest(task: Task) -> int:
    """The snippets that run elsewhere, too."""
    return _snippets(task, rest=True)


def _snippets(task: Task, rest: bool) -> int:
    snippets = load_snippets(task.project)
    names = [name for name, one in snippets.items() if needs_hardware(one) is not rest]
    return recorder.record(
        names,
        jobs=task.jobs,
        until=task.until,
        project=task.project,
        folder=task.out,
        snippets=snippets,
        here=task.here,
        say=task.say,
    )


def the_allocator(task: Task) -> int:
    """PyTorch's allocator against our model of it."""
    allocator.check_tools(task.project)
    folder = task.out / allocator.FOLDER
    return allocator.compare(task.project, folder, task.here, task.until, task.say)


def the_cross_check(task: Task) -> int:
    """Two tensors, seven ways to place them, each operation: simulated and on the GPU."""
    from gpu_guide.crosscheck.compare import answered, by_gpus, disagreements, simulated

    here = task.here
    ours, theirs = simulated(), by_gpus(min(here.gpus, 2))
    crosschecked.write(task.out / crosschecked.FOLDER, here, theirs)
    different = disagreements(ours, answered(theirs))
    silent = len(theirs) - len(answered(theirs))
    task.say(f"{len(theirs)} cases, {len(different)} differ, {silent} without an answer")
    for (operation, pair), (simulated_answer, answer) in sorted(different.items()):
        task.say(f"  {operation} {pair}: simulated {simulated_answer}, GPU {answer}")
    return 1 if different or silent else 0


def the_peaks(task: Task) -> int:
    """Peaks of training scripts, for dry runs to be compared with."""
    folder = task.out / measured.FOLDER
    return peaks.measure(task.project, folder, task.here, task.jobs, task.until, task.say)


def the_labs(task: Task) -> int:
    """Every lab, with what the GPU shows in it."""
    from gpu_guide.labs.command import record

    return record(
        project=task.project, folder=task.out / LABS, until=task.until, here=task.here, say=task.say
    )


def what_differs(task: Task) -> int:
    """A table of outputs that are not what a stand-in or simulated GPU printed."""
    here = task.here
    gpu = read(path_of(here.id, task.out))
    others = [one for one in load_records(task.project) if one.environment.id != here.id]
    found = differences(gpu, others, load_snippets(task.project), task.project)
    text = as_markdown(found, f"{here.gpu}, torch {here.torch}")
    (task.out / DIFFERENCES).write_text(text, encoding="utf-8")
    task.say(f"{len(found)} outputs differ: {task.out / DIFFERENCES}")
    return 0


@dataclass(frozen=True)
class Part:
    """One of them, and the share of all time by which it ends at the latest."""

    run: Callable[[Task], int]
    ends: float
    wheels: bool = False
    """Whether it needs what a bare machine lacks."""

    @property
    def title(self) -> str:
        """What it is, in words."""
        return (self.run.__doc__ or "").split("\n")[0].rstrip(".")


PARTS = {
    "gpu": Part(what_only_a_gpu_can_tell, 0.5),
    "crosscheck": Part(the_cross_check, 0.54),
    "allocator": Part(the_allocator, 0.62),
    "labs": Part(the_labs, 0.72, wheels=True),
    "peaks": Part(the_peaks, 0.88),
    "rest": Part(the_rest, 0.98),
    "differences": Part(what_differs, 1.0),
}
"""In this order; what one leaves of its time, the next ones have."""

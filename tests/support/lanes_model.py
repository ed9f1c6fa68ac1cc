"""A training loop on three lanes, as speed/asynchronous lets readers change it: what the CPU does,
the copy engine and the GPU's compute units.

`theme/assets/lanes.js` makes the same tasks and plans them by the same rules; the tests hold both
against each other. How long a task takes is assumed, in units of time without a name.
"""

from __future__ import annotations

from gpu_guide.pictures.timeline import Span, Task, schedule

STEPS = 4
LOAD, CALL, LAUNCH, COPY, COMPUTE, READ = 6, 1, 2, 5, 6, 1


def loop(item: bool, pinned: bool, stream: bool, steps: int = STEPS) -> list[Task]:
    """The tasks of some steps.

    `item`: the loss is read in every step. `pinned`: batches come from pinned memory, and the copy
    is called with `non_blocking=True`. `stream`: copies are on a stream of their own, for which
    pinned memory is needed, so it changes nothing without.
    """
    tasks = []
    for n in range(1, steps + 1):
        before = f"gpu compute~{n - 1}"
        own = pinned and stream
        tasks.append(Task("cpu", f"load~{n}", LOAD))
        tasks.append(Task("cpu", f"call~{n}", CALL))
        same = () if own or n == 1 else (before,)
        tasks.append(Task("copy", f"copy~{n}", COPY, after=same, along=(f"cpu call~{n}",)))
        if not pinned:
            tasks.append(Task("cpu", f"wait~{n}", 0, until=(f"copy copy~{n}",)))
        tasks.append(Task("cpu", f"launch~{n}", LAUNCH))
        needs = (f"copy copy~{n}",)
        tasks.append(Task("gpu", f"compute~{n}", COMPUTE, needs, along=(f"cpu launch~{n}",)))
        if item:
            tasks.append(Task("cpu", f"item~{n}", READ, until=(f"gpu compute~{n}",)))
    return tasks


def planned(item: bool, pinned: bool, stream: bool, steps: int = STEPS) -> list[Span]:
    """When each of them begins and ends."""
    return schedule(loop(item, pinned, stream, steps))


def whole(spans: list[Span]) -> tuple[float, float]:
    """How long all of it takes, and how long of that the GPU computes."""
    busy = sum(span.end - span.start for span in spans if span.task.lane == "gpu")
    return max(span.end for span in spans), busy

"""Several runs at a time, until there is no time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Protocol, TypeVar

from gpu_guide.run.outcome import Run

_Task = TypeVar("_Task")


class Running(Protocol):
    """What `runner.Started` is: a run that has begun."""

    latest: float

    @property
    def sentinel(self) -> int: ...

    def finish(self) -> Run: ...

    def stop(self) -> None: ...


def side_by_side(
    tasks: Sequence[_Task],
    begin: Callable[[_Task], Running],
    jobs: int = 1,
    until: float | None = None,
) -> Iterator[tuple[_Task, Run | None]]:
    """Each task and what came of it, as they end: `jobs` of them run at a time.

    None came of those that are not begun because it is `until` by the clock of time.monotonic().
    A caller that stops asking, or is interrupted, ends all that runs.
    """
    waiting, running = list(tasks), {}
    try:
        while waiting or running:
            late = until is not None and time.monotonic() >= until
            while waiting and late:
                yield waiting.pop(0), None
            while waiting and len(running) < jobs:
                started = begin(waiting[0])
                running[started.sentinel] = waiting.pop(0), started
            now = time.monotonic()
            latest = min((started.latest for _, started in running.values()), default=now)
            ended = wait(list(running), max(0.0, latest - now))
            for sentinel in ended or [
                one for one, (_, started) in running.items() if started.latest <= time.monotonic()
            ]:
                task, started = running.pop(sentinel)
                yield task, started.finish()
    finally:
        for _, started in running.values():
            started.stop()

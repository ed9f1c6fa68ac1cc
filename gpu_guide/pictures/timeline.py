"""Who works when: tasks on lanes, each lane doing one thing after the other.

This is how a CPU that launches work, a CUDA stream, a copy engine or a rank of a pipeline works: a
task begins as soon as its lane is free and all that it waits for has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas, room

_ROW, _BAR, _PART = 28, 24, 22
_ROLES = {"cpu": "cpu", "engine": "copy", "network": "copy"}
"""What works on a lane, by its name; a GPU on all others."""


@dataclass(frozen=True)
class Task:
    """What a lane does for `takes` units of time.

    It begins when its lane is free, all of `after` have ended and all of `along` have begun, and
    it lasts until all of `until` have ended. These name tasks as "lane name".
    """

    lane: str
    do: str
    takes: float = 0
    after: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    until: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """How other tasks name it."""
        return f"{self.lane} {self.do}"


@dataclass(frozen=True)
class Span:
    """When a task begins and ends."""

    task: Task
    start: float
    end: float


def schedule(tasks: Sequence[Task]) -> list[Span]:
    """When each task begins and ends, in the order given.

    Raises ValueError where a task waits for one that does not exist, for itself, or where two have
    one name.
    """
    known = {task.id: task for task in tasks}
    if len(known) < len(tasks):
        twice = next(t.id for i, t in enumerate(tasks) if t.id in {one.id for one in tasks[:i]})
        raise ValueError(f"two tasks are called {twice!r}")
    for task in tasks:
        for name in (*task.after, *task.along, *task.until):
            if name not in known:
                raise ValueError(f"{task.id!r} waits for {name!r}, which does not exist")
    spans: dict[str, Span] = {}
    free: dict[str, float] = {}
    waiting = list(tasks)
    while waiting:
        busy: set[str] = set()
        for task in list(waiting):
            needed = (*task.after, *task.along, *task.until)
            if task.lane in busy or any(name not in spans for name in needed):
                busy.add(task.lane)  # what stands behind it on its lane waits as well
                continue
            begins = [spans[name].end for name in task.after]
            begins += [spans[name].start for name in task.along]
            start = max([free.get(task.lane, 0), *begins])
            end = max([start + task.takes, *(spans[name].end for name in task.until)])
            spans[task.id], free[task.lane] = Span(task, start, end), end
            waiting.remove(task)
            break
        else:
            raise ValueError(f"{waiting[0].id!r} waits for itself")
    return [spans[task.id] for task in tasks]


@dataclass(frozen=True)
class Part:
    """One of the timelines of a picture: its title, and its tasks."""

    title: str
    tasks: tuple[Task, ...]


def draw(parts: Sequence[Part], names: Mapping[str, str], looks: Mapping[str, str]) -> Canvas:
    """The parts below one another, to one scale. `names` holds what lanes and tasks are called,
    where that is not their own name, `looks` the look of tasks by name where it is not the lane's.

    Raises ValueError as `schedule` does, and where words do not fit.
    """
    canvas = Canvas()
    planned = [(part.title, schedule(part.tasks)) for part in parts]
    lanes = {span.task.lane: None for _, spans in planned for span in spans}
    left = EDGE + max(room(names.get(lane, lane), "small") for lane in lanes) + 8
    unit = (WIDTH - EDGE - left) / max(span.end for _, spans in planned for span in spans)
    top = 0.0
    for title, spans in planned:
        top = canvas.lines(EDGE, top + 16, title, "") + 10
        rows = list(dict.fromkeys(span.task.lane for span in spans))
        for number, lane in enumerate(rows):
            y = top + number * _ROW
            canvas.text(EDGE, y + _BAR / 2 + 5, names.get(lane, lane), "small")
            for span in (one for one in spans if one.task.lane == lane):
                name = span.task.do.partition("~")[0]
                width = (span.end - span.start) * unit - 2
                text = names.get(name, name)
                look = looks.get(name, _ROLES.get(lane, "gpu"))
                canvas.box(left + span.start * unit, y, width, _BAR, text, look)
        top += len(rows) * _ROW + _PART - 12
    return canvas


def parts_of(content: Sequence[Mapping[str, Any]], language: str) -> list[Part]:
    """The parts as data/pictures.yml writes them. Raises ValueError."""
    made = []
    for part in content:
        tasks = []
        for row in part["tasks"]:
            unknown = row.keys() - {"lane", "do", "takes", "after", "along", "until"}
            if unknown or not {"lane", "do"} <= row.keys():
                raise ValueError(f"a task has lane, do, takes, after, along, until: {row}")
            lists = {key: tuple(row.get(key, ())) for key in ("after", "along", "until")}
            tasks.append(Task(str(row["lane"]), str(row["do"]), row.get("takes", 0), **lists))
        made.append(Part(part[language], tuple(tasks)))
    return made

"""Runs a program once, and what a check may ask about that run."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import runpy
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from gpu_guide.exercises.observer.events import Event, Events
from gpu_guide.simulate import NotSimulated, SimulatedCuda

_COLOUR = re.compile(r"\x1b\[\d*m")
Told = str | tuple[str, dict[str, object]] | None
"""What a check returns: the key of a sentence, perhaps with its values; None if all is well."""


class Missing(Exception):
    """The program has no variable of this name."""


@dataclass(frozen=True)
class Stopped:
    """The exception that ended the program."""

    kind: str
    text: str
    line: int
    """The program's own line, 0 where there is none."""


@dataclass
class Ran:
    """One run of a program, for the function `check` of an exercise."""

    path: Path
    gpus: int
    """How many simulated GPUs this machine had."""
    rank: int = 0
    ranks: int = 1
    result: Path = Path("0.json")
    """Where what was seen is written; those of the other processes lie beside it."""
    ended: bool = False
    """Whether the program has ended, and is being judged."""
    error: Stopped | None = None
    output: list[str] = field(default_factory=list)
    """The lines that were printed."""
    events: Sequence[Event] = ()
    held: int = 0
    """Bytes on all GPUs that are still held at the end."""
    peak: int = 0
    """The most bytes that were held on one GPU."""
    names: dict[str, Any] = field(default_factory=dict)
    _asked: int = 0

    def __getitem__(self, name: str) -> Any:
        """A variable of the program, as it is at the end."""
        if name not in self.names:
            raise Missing(name)
        return self.names[name]

    @cached_property
    def tree(self) -> ast.Module:
        """The program's syntax."""
        return ast.parse(self.path.read_text(encoding="utf-8"))

    def line(self, name: str) -> int:
        """The last line that gives the variable a value, 0 if there is none."""
        found = [
            node.lineno
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        ]
        return max(found, default=0)

    def calls(self, name: str) -> list[int]:
        """The lines that call a function or method of this name, as `backward`."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return sorted(
            node.lineno
            for node in found
            if name in (getattr(node.func, "attr", None), getattr(node.func, "id", None))
        )

    def of(self, what: str) -> list[Event]:
        """The events of one kind: copy, wait, clock, synchronize or save."""
        return [event for event in self.events if event.what == what]

    def from_ranks(self, value: object) -> list[Any]:
        """The values of all processes in the order of their ranks; each has to ask.

        Values are written as Python literals. A process whose program failed is not waited for.
        """
        if self.error:
            raise Missing("")
        self._asked += 1
        store = torch.distributed.FileStore(str(self.result.with_name("values")), self.ranks)
        store.set(f"{self._asked}/{self.rank}", repr(value))
        keys = [f"{self._asked}/{rank}" for rank in range(self.ranks)]
        results = self.others(".json")
        while not store.check(keys):
            if any(file.exists() for file in results) and not store.check(keys):
                raise Missing("")  # that process has been judged and will not answer
            time.sleep(0.01)
        return [ast.literal_eval(store.get(key).decode()) for key in keys]

    def others(self, suffix: str) -> list[Path]:
        """The files that the other processes write, whether they are there or not."""
        every = [self.result.with_name(f"{rank}{suffix}") for rank in range(self.ranks)]
        return [file for rank, file in enumerate(every) if rank != self.rank]


def observe(ran: Ran, check: Path, simulated: bool) -> dict[str, Any]:
    """Run the program and judge it: the key of the sentence about it, and that sentence's values.

    The key is empty if all is well. `simulated` is false where PyTorch's own allocator is there and
    is to count the memory. Devices are known in the simulation alone, so the check is in it, too.
    """
    machine = SimulatedCuda(ran.gpus) if ran.gpus and simulated else contextlib.nullcontext()
    with machine:
        _run(ran, simulated)
        told = _judged(ran, check)
    key, values = ("", {}) if told is None else (told, {}) if isinstance(told, str) else told
    return {
        "key": key,
        "values": {name: str(value) for name, value in values.items()},
        "output": ran.output,
    }


def _run(ran: Ran, simulated: bool) -> None:
    out, program = io.StringIO(), str(ran.path)
    events = Events(program)
    sys.argv, sys.path[0] = [program], str(ran.path.parent)
    errors = contextlib.redirect_stderr(io.StringIO())
    with events.noting(), contextlib.redirect_stdout(out), errors:
        try:
            code = compile(ran.path.read_bytes(), program, "exec")
            main = sys.modules["__main__"] = ModuleType("__main__")
            main.__file__, ran.names = program, vars(main)  # what there was when it stopped, too
            exec(code, ran.names)
        except (Exception, SystemExit) as error:
            ran.error = _stopped(error, program)
    ran.ended = True
    ran.result.with_suffix(".ended").touch()
    ran.events = tuple(events.list)
    ran.output = out.getvalue().splitlines()
    if simulated:
        ran.held = sum(events.memory.held.values())
        ran.peak = max(events.memory.peak.values(), default=0)
    else:
        ran.held, ran.peak = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()


def _judged(ran: Ran, check: Path) -> Told:
    if ran.error and ran.error.kind in ("SyntaxError", "IndentationError", "TabError"):
        return "no_python", vars(ran.error)
    try:
        told = runpy.run_path(str(check))["check"](ran)
    except Missing as missing:
        told = None if ran.error or not str(missing) else ("missing", {"name": str(missing)})
    except Exception as error:
        ran.error = ran.error or _stopped(error, str(ran.path))
        if not ran.error.line and not isinstance(error, TypeError):
            raise
        told = None if ran.error.line else ("unusable", {"text": error})
    if told is None and ran.error:
        kind = ran.error.kind
        return "not_simulated" if kind == NotSimulated.__name__ else "stopped", vars(ran.error)
    return told


def _stopped(error: BaseException, program: str) -> Stopped | None:
    if isinstance(error, SystemExit) and not error.code:
        return None
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == program]
    if isinstance(error, SyntaxError) and error.filename == program:
        lines = [error.lineno]
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    text = _COLOUR.sub("", said).strip().partition("\n")[0].rstrip()
    return Stopped(type(error).__name__, text, lines[-1] if lines else 0)

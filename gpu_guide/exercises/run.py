"""Runs a reader's attempt on every machine of an exercise, and says what is wrong with it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide.dry_run.words import Words
from gpu_guide.exercises.observer.serve import FORKS
from gpu_guide.exercises.source import COMMON, Exercise
from gpu_guide.problems import fault

_SERVE = Path(__file__).parent / "observer" / "serve.py"
_TEXTS = Path(__file__).with_name("texts.yml")
SECONDS, GRACE = 60.0, 3.0
"""How long a program may take, and how long it may wait for a process that has ended."""


@dataclass(frozen=True)
class Outcome:
    """What a check said of a program; `key` is empty if there is nothing to say."""

    key: str
    values: Mapping[str, str]
    output: Sequence[str]

    def sentence(self, exercise: Exercise, language: str) -> str:
        """The same in a language."""
        if self.key in exercise.says:
            return exercise.says[self.key].texts[language].format(**self.values)
        return Words(language, _TEXTS)(self.key, **self.values)


class NoTorch(Exception):
    """The Python cannot be run, or cannot import torch."""


class Checker:
    """Processes of the reader's Python that have PyTorch imported; a context manager.

    Raises NoTorch where there are none.
    """

    def __init__(self, python: str = sys.executable) -> None:
        self.python = python
        self.waiting: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Checker:
        self._start(1)
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self.waiting:
            process.kill()
            process.communicate()
        self.waiting.clear()

    def check(self, exercise: Exercise, program: Path) -> Outcome:
        """What the exercise's check says of the file. Raises GuideError if the check fails."""
        found: list[dict[str, Any]] = []
        for gpus in exercise.gpus:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                jobs = list(_jobs(exercise, program, gpus, Path(folder)))
                self._do(jobs)
                found += [_result(exercise, Path(job["result"])) for job in jobs]
            wrong = [one for one in found if one["key"]]
            if wrong:
                worst = min(wrong, key=_rank)
                return Outcome(worst["key"], worst["values"], worst["output"])
        return Outcome("", {}, found[0]["output"])

    def _do(self, jobs: list[dict[str, Any]]) -> None:
        """Where processes can be forked, one does all; else there is one for each."""
        parts = [jobs] if FORKS else [[job] for job in jobs]
        self._start(len(parts))
        busy = self.waiting[: len(parts)]
        for process, part in zip(busy, parts, strict=True):
            with contextlib.suppress(BrokenPipeError):
                print(json.dumps(part), file=process.stdin, flush=True)
        if not all([process.stdout.readline() for process in busy]):
            raise NoTorch(self.python)
        if not FORKS:
            del self.waiting[: len(parts)]
            self._start(len(parts))  # for the next check

    def _start(self, count: int) -> None:
        self.waiting = [process for process in self.waiting if process.poll() is None]
        while len(self.waiting) < count:
            try:
                process = subprocess.Popen(
                    [self.python, str(_SERVE)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    encoding="utf-8",
                )
            except OSError as error:
                raise NoTorch(self.python) from error
            self.waiting.append(process)


def _jobs(exercise: Exercise, program: Path, gpus: int, folder: Path) -> Iterator[dict[str, Any]]:
    ranks = exercise.start.processes
    for rank in range(ranks):
        environment = {} if gpus else {"CUDA_VISIBLE_DEVICES": "-1"}
        if exercise.start.memory:  # cuBLAS takes as little as it can, and not its usual megabytes
            environment["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"
        if ranks > 1:
            numbers = {
                "RANK": rank,
                "LOCAL_RANK": rank,
                "WORLD_SIZE": ranks,
                "LOCAL_WORLD_SIZE": ranks,
            }
            environment |= {name: str(value) for name, value in numbers.items()}
        yield {
            "program": str(program.resolve()),
            "check": str(exercise.check),
            "result": str(folder / f"{rank}.json"),
            "gpus": gpus,
            "rank": rank,
            "ranks": ranks,
            "memory": exercise.start.memory,
            "environment": environment,
            "seconds": SECONDS,
            "grace": GRACE,
        }


def _result(exercise: Exercise, file: Path) -> dict[str, Any]:
    if not file.is_file():  # ended from outside, or by os._exit
        return {"key": "ended", "values": {}, "output": []}
    found = json.loads(file.read_text(encoding="utf-8"))
    if broken := found.get("broken_check"):
        raise fault(exercise.check, 1, f"the check fails: {broken}", "mend check.py")
    if found["key"] and found["key"] not in COMMON | exercise.says.keys():
        what = f"{found['key']!r} is no sentence of text.yml"
        raise fault(exercise.check, 1, what, "write it there")
    return found


def _rank(found: dict[str, Any]) -> int:
    """Of what several processes were told, the cause goes before what follows from it."""
    if found["key"] == "hangs":
        return 2
    return int("by peer" in found["values"].get("text", ""))

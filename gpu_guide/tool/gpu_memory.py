"""How much memory a test takes on a card that this machine does not have: one dry run a test."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.report import CONTEXT, Findings, in_short, size
from gpu_guide.dry_run.run import Outcome, Settings, run
from gpu_guide.dry_run.words import Words
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.stand_in.build import compiler
from gpu_guide.stand_in.environments import CudaEnvironment, at, impossible
from gpu_guide.stand_in.machine import StandIn

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(GiB|MiB)")
_UNITS = {"GiB": 2**30, "MiB": 2**20}
_LAST_LINES = 25
"""Of the output of a test that failed in its process, so many are shown."""


class Impossible(Exception):
    """This machine cannot measure it, and why."""


@dataclass(frozen=True)
class Measured:
    """What a test's process showed."""

    reserved: int
    limit: int
    problem: str = ""
    """Why the test fails; "" where it does not."""


def measured(
    test: Sequence[str],
    folder: Path,
    card: str,
    at_most: str | int | None = None,
    count: int = 1,
) -> Measured:
    """Run pytest with the arguments `test` for the project in `folder`, on `count` of a card.

    Raises Impossible, and ValueError for what the mark cannot ask.
    """
    wanted = chosen(card, HERE)
    limit = _bytes(at_most) if at_most is not None else wanted.memory_mib * 2**20 - CONTEXT
    environment = _environment()
    command = [sys.executable, "-m", "pytest", *test]
    # Options that are for the whole run, such as several processes, are not for one test.
    command += ["-o", "addopts=", "-p", "no:cacheprovider", "-q", "--no-header", "--color=no"]
    settings = Settings(steps=0, folder=folder)
    with tempfile.TemporaryFile() as output:
        handles = {"output": output.fileno(), "errors": subprocess.STDOUT}
        outcome = run(environment, StandIn.of(wanted, count=count), command, settings, **handles)
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    reserved = outcome.fullest.reserved if outcome.devices else 0
    say = Words(HERE.languages[-1])
    found = Findings(wanted, tuple(command), settings, outcome, None, {})
    if outcome.out_of_memory:
        return Measured(reserved, limit, "\n".join(in_short(found, say)))
    if problem := _failed(outcome, said):
        return Measured(reserved, limit, problem)
    if reserved > limit:
        asked = f"{size(reserved)} reserved on {wanted.name}, and at most {size(limit)} may be"
        return Measured(reserved, limit, "\n".join([asked, *in_short(found, say)]))
    return Measured(reserved, limit)


def _failed(outcome: Outcome, said: str) -> str:
    """Why a process showed no peak to compare."""
    last = "\n".join(said.strip().splitlines()[-_LAST_LINES:])
    if outcome.status:
        return f"the test failed in its process on the stand-in:\n{last}"
    if not outcome.devices:
        return f"the test allocated nothing on a GPU:\n{last}"
    return ""


def _environment() -> CudaEnvironment:
    """This Python's. Raises Impossible."""
    if why := impossible():
        raise Impossible(why)
    try:
        compiler()
        return at(Path(sys.executable))
    except GuideError as error:
        raise Impossible(str(error)) from None


def _bytes(text: str | int) -> int:
    """`12 GiB` in bytes. Raises ValueError."""
    if isinstance(text, int):
        return text
    if (match := _SIZE.fullmatch(text)) is None:
        raise ValueError(f"at_most={text!r}: write '12 GiB' or '800 MiB'")
    return round(float(match[1]) * _UNITS[match[2]])

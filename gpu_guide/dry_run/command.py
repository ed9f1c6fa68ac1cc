"""The command `dry-run`: whether a command's training fits on a card, and why not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from gpu_guide.dry_run import report
from gpu_guide.dry_run.batch import BatchArgument, Largest, largest
from gpu_guide.dry_run.cards import DryCard, known_cards
from gpu_guide.dry_run.report import Findings, in_a_line
from gpu_guide.dry_run.run import UNLIMITED_MIB, Outcome, Settings, run
from gpu_guide.dry_run.words import Words
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn

FITS, FAILED, DOES_NOT_FIT = 0, 1, 2
"""The exit statuses."""
_CONF = "PYTORCH_ALLOC_CONF"
_TRY = "GPU_GUIDE_DRY_RUN_TRY"
_NOWHERE = {"output": subprocess.DEVNULL, "errors": subprocess.DEVNULL}
"""Where the output of a script goes that has been seen once."""
_STANDARD_ERROR = 2


def dry_run(
    project: Project,
    environment: CudaEnvironment,
    card: DryCard,
    command: Sequence[str],
    settings: Settings,
    *,
    count: int = 1,
    language: str,
    as_json: bool = False,
    tries: bool = False,
    largest_batch: bool = False,
    tell: Callable[[str], None] = print,
) -> int:
    """Run `command` dry on `count` of a card and tell what came of it; FITS or DOES_NOT_FIT.

    Raises GuideError where the script ended before it showed anything.
    """
    say = Words(language)
    found, cards = found_by(
        project,
        environment,
        card,
        command,
        settings,
        count=count,
        say=say,
        tries=tries,
        largest_batch=largest_batch,
        aside=as_json,
    )
    if as_json:
        tell(json.dumps(report.as_json(found, cards), indent=2, ensure_ascii=False))
    else:
        tell("\n".join(["", *report.lines(found, cards, say)]))
    return status_of(found)


def status_of(found: Findings) -> int:
    """FITS, DOES_NOT_FIT, or FAILED where the script ended with an error of another kind."""
    if not found.fits:
        return DOES_NOT_FIT
    return FAILED if found.outcome.errors or found.outcome.status else FITS


def found_by(
    project: Project,
    environment: CudaEnvironment,
    card: DryCard,
    command: Sequence[str],
    settings: Settings,
    *,
    say: Words,
    count: int = 1,
    tries: bool = False,
    largest_batch: bool = False,
    aside: bool = False,
) -> tuple[Findings, dict[str, DryCard]]:
    """All that is found of `command`, and the cards to compare with. What the script prints goes
    to standard error where `aside` is true, because a program reads our output.

    Raises GuideError where the script ended before it showed anything.
    """
    if not command:
        raise GuideError(say("no_program"))
    if count < 1:
        raise GuideError(say("no_gpus", count=count))
    batch = BatchArgument.of(command)
    if largest_batch and batch is None:
        raise GuideError(say("no_batch"))
    machine = StandIn.of(card, count=count)
    try:
        aloud = {"output": _STANDARD_ERROR} if aside else {}
        outcome = run(environment, machine, command, settings, **aloud)
    except FileNotFoundError as error:
        raise GuideError(say("no_such_program", program=error.filename)) from None
    # Even the first allocation may be too large.
    if not outcome.devices and not outcome.out_of_memory:
        raise GuideError(_why_nothing(outcome, environment, count, say))
    again = replace(settings, snapshot=None)
    plenty = replace(machine, memory_mib=UNLIMITED_MIB)
    unlimited = None
    if outcome.out_of_memory and not outcome.interrupted:
        unlimited = run(environment, plenty, command, again, **_NOWHERE)
        if not outcome.devices and not unlimited.devices:
            raise GuideError(_why_nothing(unlimited, environment, count, say))
    elif outcome.errors and not outcome.interrupted:
        print(_why(outcome, environment, count, say), file=sys.stderr)
    tried = {}
    if tries:
        if batch and batch.size > 1:
            half = batch.size // 2
            smaller = run(environment, plenty, batch.with_size(half), again, **_NOWHERE)
            tried[batch.said(half)] = smaller
        for name, variables in _tries(card).items():
            changed = replace(again, more=variables)
            tried[name] = run(environment, plenty, command, changed, **_NOWHERE)
    most = None
    if largest_batch and batch and not outcome.interrupted:
        most = batch, _largest(environment, machine, batch, again, say)
    found = Findings(card, tuple(command), settings, outcome, unlimited, tried, most)
    return found, known_cards(project)


def _tries(card: DryCard) -> dict[str, dict[str, str]]:
    """What is tried besides half the batch: variables of the script's processes."""
    dtype = "bfloat16" if float(card.capability) >= 8 else "float16"
    conf = ("expandable_segments:True", "max_split_size_mb:128")
    return {
        f'torch.autocast("cuda", torch.{dtype})': {_TRY: dtype},
        "torch.utils.checkpoint": {_TRY: "checkpointing"},
        "foreach=False": {_TRY: "foreach"},
        **{f"{_CONF}={one}": {_CONF: one} for one in conf},
    }


def _largest(
    environment: CudaEnvironment,
    machine: StandIn,
    batch: BatchArgument,
    settings: Settings,
    say: Words,
) -> Largest:
    """The largest batch that fits on the machine, each tried in a run.

    Raises GuideError where the script fails for another reason than memory.
    """

    def fits(size: int) -> bool:
        outcome = run(environment, machine, batch.with_size(size), settings, **_NOWHERE)
        if outcome.out_of_memory:
            return False
        if outcome.errors or outcome.status or not outcome.devices:
            why = _why_nothing(outcome, environment, machine.count, say)
            raise GuideError(say("batch_failed", batch=batch.said(size), why=why))
        return True

    return largest(batch.size, fits)


def _why_nothing(outcome: Outcome, environment: CudaEnvironment, count: int, say: Words) -> str:
    """Why a script showed nothing of a GPU, with the remedy."""
    if outcome.errors:
        return _why(outcome, environment, count, say)
    if outcome.status < 0:
        return say("killed", signal=-outcome.status)
    if outcome.status:
        return say("ended_before", status=outcome.status)
    return say("never_used")


def _why(outcome: Outcome, environment: CudaEnvironment, count: int, say: Words) -> str:
    """What the exception means that ended a script, with the remedy."""
    error = outcome.errors[0]
    kind, name = error["kind"], error["name"]
    text = in_a_line(error).removeprefix(f"{kind}: ")
    own = error["place"]
    given = {"place": f"{Path(own[0]).name}:{own[1]}: " if own else "", "error": text}
    if kind == "ModuleNotFoundError" and name:
        module = str(name).partition(".")[0]
        return say("no_module", module=module, python=environment.python, **given)
    if kind == "FileNotFoundError" and name:
        return say("no_file", file=name, **given)
    if kind == "OSError" and re.search(r"huggingface\.co|Repo id must", error["text"]):
        return say("no_model", **given)
    if "invalid device ordinal" in error["text"] or "Duplicate GPU detected" in error["text"]:
        return say("no_device", count=count, **given)
    if kind in ("ImportError", "AttributeError") and "torch" in text:
        return say("newer_torch", torch=environment.torch, **given)
    if "and PyTorch has no meta function" in text or "not supported when calling `cusparse" in text:
        return say("unsupported", **given)
    return given["place"] + in_a_line(error)

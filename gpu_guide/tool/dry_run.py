"""`gpu-guide dry-run`, by the reader's own Python where that can be."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.command import dry_run
from gpu_guide.dry_run.run import Settings
from gpu_guide.dry_run.words import Words
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import (
    DEFAULT_TORCH,
    CudaEnvironment,
    at,
    find_or_make,
    impossible,
)
from gpu_guide.tool.readers_python import readers_python
from gpu_guide.tool.words import explained, in_language

CONTAINER = (
    'docker run --rm -v "$PWD:/work" -w /work -v gpu-guide:/root/.cache python:3.11 sh -c '
    '"pip install -q ./pytorch-gpu-guide && gpu-guide dry-run --card rtx-3090 -- python train.py"'
)
"""The line of the page memory/dry-run for systems other than Linux."""


def add_options(parser: argparse.ArgumentParser, say: Words) -> None:
    """What a dry run may be told."""

    def add(name: str, **given: object) -> None:
        parser.add_argument(f"--{name}", help=say(f"dry_run.{name}"), **given)

    add("card", default="rtx-4060")
    add("count", type=int, default=1, metavar="N")
    add("steps", type=int, default=5, metavar="N")
    add("assume", type=float, default=0.0, metavar="X")
    add("mask-share", type=float, default=1.0, metavar="X")
    add("compile", action="store_true")
    add("try", action="store_true", dest="tries")
    add("largest-batch", action="store_true")
    add("snapshot", type=Path, metavar="FILE")
    add("python", type=Path)
    add("torch", default=DEFAULT_TORCH)


def _environment(options: argparse.Namespace, say: Words) -> CudaEnvironment:
    """That of the Python that is named, or of the reader's own where its torch is for CUDA 13;
    else the guide's own, which is made once."""
    if options.python:
        return at(options.python)
    try:
        return at(Path(readers_python()))
    except GuideError as error:
        print(say("dry_run_makes", why=explained(error, say.language)), file=sys.stderr)
    return find_or_make(
        options.torch, tell=lambda text: print(in_language(text, say.language), file=sys.stderr)
    )


def run(options: argparse.Namespace, say: Words) -> int:
    """0 it fits, 1 the script failed, 2 it does not fit."""
    if why := impossible():
        told = in_language(why, say.language)
        if platform.system() != "Linux":
            told += "\n" + say("dry_run_container", line=CONTAINER)
        raise GuideError(told)
    if not options.program:
        print(say("no_program", command="gpu-guide dry-run --"), file=sys.stderr)
        return options.not_done
    if options.count < 1:
        print(say("at_least_one", option="--count", value=options.count), file=sys.stderr)
        return options.not_done
    try:
        # What cannot be is said before anything is installed.
        chosen(options.card, HERE)
        _settings(options)
        environment = _environment(options, say)
    except GuideError as error:
        print(explained(error, say.language), file=sys.stderr)
        return options.not_done
    return run_in(environment, options, say.language)


def _settings(options: argparse.Namespace) -> Settings:
    return Settings(
        options.steps, options.assume, options.mask_share, options.compile, options.snapshot
    )


def run_in(environment: CudaEnvironment, options: argparse.Namespace, language: str) -> int:
    """The dry run that the options ask for, in this environment."""
    return dry_run(
        HERE,
        environment,
        chosen(options.card, HERE),
        options.program,
        _settings(options),
        count=options.count,
        language=language,
        as_json=options.json,
        tries=options.tries,
        largest_batch=options.largest_batch,
    )

"""`gpu-guide simulate`: a script with pretended CUDA devices, run by the reader's own Python."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from gpu_guide.dry_run.words import Words
from gpu_guide.tool.readers_python import readers_python, why_no_torch

START = Path(__file__).parents[1] / "simulate" / "start.py"
_PYTHON = re.compile(r"(?:.*[\\/])?python[\d.]*t?(?:\.exe)?")


def run(options: argparse.Namespace, say: Words) -> int:
    """The exit status of the program."""
    found = command(options.program, options.python)
    if found is None or options.count < 1:
        print(say("simulate_what"), file=sys.stderr)
        return options.not_done
    python, rest = found
    if rest[0] != "-m" and not Path(rest[0]).is_file():
        print(say("no_such_file", file=rest[0]), file=sys.stderr)
        return options.not_done
    if why := why_no_torch(python, say):
        print(why, file=sys.stderr)
        return options.not_done
    done = subprocess.run([python, str(START), str(options.count), *rest], check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def command(program: Sequence[str], named: str | None) -> tuple[str, list[str]] | None:
    """The Python for a program, and what it is given: a file, or `-m` and a module. None: it is
    neither, and in other programs nothing can be simulated."""
    match [*program]:
        case [python, *rest] if rest and _PYTHON.fullmatch(python):
            own = python in ("python", "python3")
            python = readers_python(named) if own or named else python
        case [file, *_] if file.endswith(".py"):
            python, rest = readers_python(named), [*program]
        case ["pytest", *more]:
            python, rest = readers_python(named), ["-m", "pytest", *more]
        case _:
            return None
    if rest[0] == "-m":
        return (python, rest) if len(rest) > 1 else None
    return None if rest[0].startswith("-") else (python, rest)

"""The commands: `python -m gpu_guide serve|build|test|check|record|…`; `--help` names them all.

The commands themselves are in `commands/`. Where modules are missing, the command is run again by
the Python of `.venv`, which is set up for it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from gpu_guide.commands import Run, gpus, readers, site, tests, writing
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.venv import python_with


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    # What stands behind "--" is a command of its own.
    behind = arguments.index("--") if "--" in arguments else len(arguments)
    options, rest = _parser().parse_known_args(arguments[:behind])
    options.program = arguments[behind + 1 :]
    if rest and options.command != "test":
        _parser().error(f"unknown arguments: {' '.join(rest)}")
    options.rest = rest
    if options.needs:
        python = python_with(options.needs, this_one=options.this_python)
        if python.absolute() != Path(sys.executable).absolute():
            environment = os.environ | {"PYTHONUTF8": "1"}
            command = [str(python), "-m", "gpu_guide", *arguments]
            try:
                return subprocess.run(
                    command, cwd=HERE.root, env=environment, check=False
                ).returncode
            except KeyboardInterrupt:
                return 130
    try:
        return options.run(options)
    except GuideError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gpu_guide", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--this-python",
        action="store_true",
        help="fail rather than use the Python of .venv where modules are missing",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, run: Run, needs: str, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run, needs=needs)
        return command

    for room in (site, tests, gpus, writing, readers):
        room.declare(add)
    return parser


def commands() -> frozenset[str]:
    """The names of all commands."""
    return frozenset(
        next(action.choices for action in _parser()._actions if action.dest == "command")
    )

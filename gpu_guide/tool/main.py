"""The command `gpu-guide`, which `uvx pytorch-gpu-guide` runs, too.

Thin: each subcommand imports what does the work. This module and `doctor` run in Python 3.9.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gpu_guide.dry_run.words import Words
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.tool.words import LANG, asked_for, explained, in_language, words

NOT_DONE = 64
"""The exit status where the command cannot do what it is asked for: EX_USAGE of sysexits.h."""
ENOUGH_READ = 141
"""What a shell says of a program whose output nobody reads any more: 128 and SIGPIPE."""
COMMANDS = ("doctor", "diagnose", "wheel", "fit", "dry-run", "snapshot", "simulate", "learn")
NEEDED = (3, 11)
"""The Python that all but the doctor need."""
PROGRAM = "gpu-guide"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a console without Chinese gets \\u4e2d for it
            stream.reconfigure(errors="backslashreplace")
    say = words(asked_for(arguments))
    parser = _parser(say, new := sys.version_info >= NEEDED)
    options, unknown = parser.parse_known_args(arguments)
    if not new and options.command != "doctor":
        found = ".".join(map(str, sys.version_info[:3]))
        print(say("older_python", command=options.command, found=found), file=sys.stderr)
        return NOT_DONE
    if unknown:  # what argparse itself says of them
        parser.parse_args(arguments)
    program = getattr(options, "program", None)
    if program and program[0] == "--":
        del program[0]
    try:
        work = importlib.import_module(f"gpu_guide.tool.{options.command.replace('-', '_')}")
        status = work.run(options, say)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads has read enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ENOUGH_READ
    except GuideError as error:
        print(explained(error, say.language), file=sys.stderr)
        # A script that ends before it shows anything has failed, as a dry run says it.
        return 1 if options.command == "dry-run" and options.program else NOT_DONE
    except KeyboardInterrupt:
        return 130


class _Parser(argparse.ArgumentParser):
    """Says what argparse itself says in the reader's language, too."""

    say = words(HERE.languages[-1])

    def __init__(self, **given: object) -> None:
        super().__init__(add_help=False, allow_abbrev=False, **given)
        self._positionals.title = self.say("arguments")
        self._optionals.title = self.say("options")
        self.add_argument("-h", "--help", action="help", help=self.say("help"))

    def format_help(self) -> str:
        return super().format_help().replace("usage: ", self.say("usage"), 1)

    def format_usage(self) -> str:
        return super().format_usage().replace("usage: ", self.say("usage"), 1)

    def error(self, message: str) -> None:
        self.print_usage(sys.stderr)
        self.exit(NOT_DONE, f"{self.prog}: {in_language(message, self.say.language)}\n")


def _parser(say: Words, new: bool) -> argparse.ArgumentParser:
    """All options; of commands that this Python cannot run, none but the common ones."""
    _Parser.say = say
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog=PROGRAM, description=say("about"), epilog=say("ends"), formatter_class=raw
    )
    parser.add_argument(LANG, choices=HERE.languages, help=say("lang"))
    parser.add_argument("--version", action="version", version=_version(), help=say("version"))
    commands = parser.add_subparsers(
        dest="command", required=True, metavar=say("command"), title=say("commands")
    )
    parsers = {}
    for name in COMMANDS:
        short, ends = say(name), f"{say(f'{name}.ends')}\n{say('not_done')}"
        one = commands.add_parser(
            name, help=short, description=say(f"{name}.about"), epilog=ends, formatter_class=raw
        )
        one.add_argument(LANG, choices=HERE.languages, default=argparse.SUPPRESS, help=say("lang"))
        if name not in ("simulate", "learn"):
            one.add_argument("--json", action="store_true", help=say("json"))
        one.set_defaults(not_done=NOT_DONE)
        parsers[name] = one
    for name in ("doctor", "wheel", "simulate", "learn"):
        parsers[name].add_argument("--python", metavar="PYTHON", help=say("python"))
    if not new:
        return parser
    _options_of_diagnose(parsers["diagnose"], say)
    _options_of_wheel(parsers["wheel"], say)
    _options_of_fit(parsers["fit"], say)
    importlib.import_module("gpu_guide.tool.learn").add_options(parsers["learn"], say)
    dry = parsers["dry-run"]
    dry.usage = f"{PROGRAM} dry-run [{say('options')}] -- python train.py --batch-size 8"
    importlib.import_module("gpu_guide.tool.dry_run").add_options(dry, say)
    dry.add_argument("program", nargs=argparse.REMAINDER, help=say("program"))
    parsers["snapshot"].add_argument("file", type=Path, metavar="FILE", help=say("snapshot.file"))
    parsers["snapshot"].add_argument("--device", type=int, metavar="N", help=say("snapshot.device"))
    simulate = parsers["simulate"]
    simulate.usage = f"{PROGRAM} simulate [{say('options')}] -- python train.py"
    simulate.add_argument("--count", type=int, default=2, metavar="N", help=say("simulate.count"))
    simulate.add_argument("program", nargs=argparse.REMAINDER, help=say("program"))
    return parser


def _options_of_diagnose(parser: argparse.ArgumentParser, say: Words) -> None:
    parser.add_argument("text", nargs="*", metavar="TEXT", help=say("diagnose.text"))
    parser.add_argument(
        "--run",
        nargs=argparse.REMAINDER,
        dest="run_program",
        metavar="python train.py",
        help=say("diagnose.run"),
    )


def _options_of_wheel(parser: argparse.ArgumentParser, say: Words) -> None:
    from gpu_guide.data.wheel_chooser import TOOLS
    from gpu_guide.data.wheel_search import SYSTEMS

    parser.add_argument("--tool", choices=TOOLS, default=TOOLS[0], help=say("wheel.tool"))
    parser.add_argument("--china", action="store_true", help=say("wheel.china"))
    parser.add_argument("--torch", default="", metavar="2.13", help=say("wheel.torch"))
    parser.add_argument(
        "--also",
        nargs="+",
        choices=("torchvision", "torchaudio"),
        default=[],
        help=say("wheel.also"),
    )
    parser.add_argument("--system", choices=SYSTEMS, help=say("wheel.system"))
    parser.add_argument("--gpu", nargs="+", metavar="8.9", help=say("wheel.gpu"))
    parser.add_argument("--driver", metavar="580.65", help=say("wheel.driver"))
    parser.add_argument("--python-version", metavar="3.13", help=say("wheel.python_version"))


def _options_of_fit(parser: argparse.ArgumentParser, say: Words) -> None:
    from gpu_guide.tool.fit import add_options, texts

    parser.add_argument("model", nargs="?", metavar="MODEL", help=say("fit.model"))
    parser.add_argument("--card", default="rtx-4090", help=say("dry_run.card"))
    parser.add_argument("--memory", type=float, metavar="GiB", help=say("fit.memory"))
    add_options(parser, say, texts(say.language))


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pytorch-gpu-guide")
    except PackageNotFoundError:  # a clone that was not installed
        return "?"

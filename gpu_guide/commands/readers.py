"""Commands that readers have, too, as `gpu-guide`: see `gpu_guide/tool`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpu_guide.commands import Add
from gpu_guide.project import HERE


def declare(add: Add) -> None:
    """Add them to the parser."""
    diagnose = add(
        "diagnose", _diagnose, "diagnose", "name the cause in a pasted error, log or table"
    )
    diagnose.add_argument("file", nargs="?", default="-", help="the text; - or nothing: stdin")
    diagnose.add_argument("--language", choices=HERE.languages, default=HERE.languages[-1])
    learn = add("learn", _learn, "test", "the next of forty programs to mend, checked on save")
    learn.add_argument("arguments", nargs=argparse.REMAINDER, help="as of `gpu-guide learn`")


def _diagnose(options: argparse.Namespace) -> int:
    from gpu_guide.data.diagnosis import load_diagnosis
    from gpu_guide.data.errors import load_errors
    from gpu_guide.diagnosis.engine import diagnose
    from gpu_guide.diagnosis.report import report

    if options.file == "-":
        content = sys.stdin.buffer.read()
    else:
        try:
            content = Path(options.file).read_bytes()
        except OSError as error:
            print(f"{options.file}: {error.strerror}", file=sys.stderr)
            return 2
    known, messages = load_diagnosis(HERE), load_errors(HERE)
    verdict = diagnose(content.decode("utf-8", "replace"), known, messages)
    print("\n".join(report(verdict, known, messages, options.language)))
    return {"healthy": 0, "fault": 1, "remark": 2, "unknown": 2}[verdict.kind]


def _learn(options: argparse.Namespace) -> int:
    from gpu_guide.tool.main import main as of_readers

    return of_readers(["learn", *options.arguments])

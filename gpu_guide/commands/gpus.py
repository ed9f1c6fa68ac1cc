"""Commands that run code on a GPU, or on one that is not there."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from gpu_guide.commands import SIDE_BY_SIDE, Add
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

DEFAULT_CUDA_TORCH = "2.13.0"
CUDA_TORCHES = ("2.13.0", "2.15.0")
"""The versions whose messages the pages quote: the pinned one, and the newest."""


def declare(add: Add) -> None:
    """Add them to the parser."""
    record = add("record", _record, "", "run snippets here and write records/<environment>.json")
    record.add_argument(
        "names", nargs="*", metavar="name", help="check/devices, or a topic; or all"
    )
    record.add_argument("--again", action="store_true", help="also what is recorded of this code")
    record.add_argument("--jobs", type=int, default=1, help="so many at a time (default: 1)")
    record.add_argument(
        "--minutes",
        type=float,
        help="no longer; without names also all else that a GPU can prove, into --out",
    )
    record.add_argument(
        "--out",
        type=Path,
        default=HERE.root / "build" / "campaign",
        help="where that goes (default: build/campaign)",
    )
    adopt = add("adopt", _adopt, "test", "take over what `record --minutes` brought home")
    adopt.add_argument("folder", type=Path, nargs="?", default=HERE.root / "build" / "campaign")
    adopt.add_argument("--look", action="store_true", help="only say what would change")
    pack = add("pack", _pack, "", "download what `record --minutes` needs without a network")
    pack.add_argument("--python", default="3.12", help="of that machine (default: 3.12)")
    stand_in = add("stand-in", _stand_in, "site", "run a command, or the tests, on stand-in GPUs")
    stand_in.usage = "%(prog)s [options] [-- python FILE]"
    stand_in.add_argument("--card", default="h100", help="one of data/cards.yml")
    stand_in.add_argument("--count", type=int, default=2, help="how many of them (default: 2)")
    stand_in.add_argument("--torch", default=DEFAULT_CUDA_TORCH, help="the version of PyTorch")
    stand_in.add_argument("--machine", help="one of data/broken_machines.yml")
    stand_in.add_argument("--values", action=argparse.BooleanOptionalAction, default=True,
                          help="compute what kernels would have, on the CPU")  # fmt: skip
    stand_in.add_argument("--all", action="store_true", help="also what passed and has not changed")
    stand_in.add_argument("--since", help="leave out tests of what is as at this commit of git")
    symptoms = add(
        "symptoms", _symptoms, "site", "write what PyTorch says on machines on which CUDA fails"
    )
    symptoms.add_argument(
        "--torch", nargs="+", default=CUDA_TORCHES, help="the versions of PyTorch"
    )
    symptoms.add_argument(
        "--again", nargs="*", default=(), metavar="id", help="also these, or all if none is named"
    )
    dry = add(
        "dry-run", _dry_run, "diagnose", "say whether a training script fits on a card, without one"
    )
    dry.usage = "%(prog)s [options] -- python train.py --batch-size 8"
    dry.add_argument("--card", default="rtx-4060", help="for example rtx-3060-12gb, t4, h100")
    dry.add_argument("--count", type=int, default=1, help="how many of them (default: 1)")
    dry.add_argument("--steps", type=int, default=5, help="stop after so many; 0: never")
    dry.add_argument("--assume", type=float, default=0.0, help="what an uncomputed value is")
    dry.add_argument("--compile", action="store_true", help="let torch.compile compile")
    dry.add_argument("--mask-share", type=float, default=1.0, help="how much of a mask is true")
    dry.add_argument("--try", action="store_true", dest="tries", help="also run what may help")
    dry.add_argument("--largest-batch", action="store_true", help="search for it, run by run")
    dry.add_argument("--json", action="store_true", help="the report for programs")
    dry.add_argument("--snapshot", type=Path, metavar="FILE", help="what the viewer opens")
    dry.add_argument("--python", type=Path, help="the Python that the script needs (default: ours)")
    dry.add_argument("--torch", default=DEFAULT_CUDA_TORCH, help="the version of PyTorch")
    dry.add_argument("--record", nargs="*", metavar="id", help="those that pages show; or all")
    dry.add_argument("--published", nargs="*", metavar="script", help="compare with others' peaks")
    dry.add_argument("--public", nargs="*", metavar="id", help="run scripts of other repositories")
    dry.add_argument("--measured", action="store_true", help="compare with what a GPU showed")
    dry.add_argument("--language", choices=HERE.languages, help="(default: the system's)")


def _record(options: argparse.Namespace) -> int:
    try:
        from gpu_guide.records.recorder import record
    except ModuleNotFoundError as error:
        print(
            f"{error}: `record` runs in the environment that it records. Install torch, numpy and "
            f"pytest-examples for {sys.executable}, or call it with the Python that has them.",
            file=sys.stderr,
        )
        return 2

    try:
        if options.minutes and not options.names:
            from gpu_guide.campaign.command import campaign

            return campaign(HERE, options.out, jobs=options.jobs, minutes=options.minutes)
        until = time.monotonic() + options.minutes * 60 if options.minutes else None
        more = {"again": options.again, "jobs": options.jobs, "until": until}
        return record(options.names, project=HERE, **more)
    except KeyboardInterrupt:
        print("\nWhat was recorded is kept: the same command goes on from here.", file=sys.stderr)
        return 130


def _adopt(options: argparse.Namespace) -> int:
    from gpu_guide.campaign.adopt import adopt

    return adopt(HERE, options.folder, look=options.look)


def _pack(options: argparse.Namespace) -> int:
    from gpu_guide.campaign.wheels import pack

    found = pack(HERE, options.python)
    size = sum(path.stat().st_size for path in found)
    print(f"{found[0].parent}: {len(found)} wheels, {size / 1e6:.0f} MB")
    return 0


def _stand_in(options: argparse.Namespace) -> int:
    from gpu_guide.data.broken_machines import broken_machine
    from gpu_guide.data.cards import card
    from gpu_guide.stand_in.environments import find_or_make
    from gpu_guide.stand_in.machine import StandIn
    from gpu_guide.stand_in.process import run

    settings = broken_machine(options.machine, HERE).settings if options.machine else {}
    machine = StandIn.of(card(options.card, HERE), count=options.count, settings=settings)
    if not options.program and (why := _no_stand_in()):
        print(f"Skipped: {why}")
        return 1 if os.environ.get("CI") else 0
    environment = find_or_make(options.torch)
    changed = ["-p", "gpu_guide.only_changed", *(["--run-passed"] if options.all else [])]
    changed += ["--since", options.since] if options.since else []
    tests = ["python", "-m", "pytest", "-q", *changed, *SIDE_BY_SIDE, "snippets", "tests/stand_in"]
    return run(environment, machine, options.program or tests, values=options.values)


def _symptoms(options: argparse.Namespace) -> int:
    from gpu_guide.data.broken_machines import as_stand_ins, broken_machine
    from gpu_guide.records.error_texts import record
    from gpu_guide.stand_in.environments import find_or_make

    machines = as_stand_ins(HERE)
    again = [] if options.again == () else [*options.again] or [*machines]
    for id in again:
        broken_machine(id, HERE)
    for torch in options.torch:
        record(machines, find_or_make(torch), HERE.broken_records, again=again)
    return 0


def _dry_run(options: argparse.Namespace) -> int:
    from gpu_guide.dry_run import measured, public, published
    from gpu_guide.dry_run.samples import record
    from gpu_guide.dry_run.words import system_language
    from gpu_guide.stand_in.environments import at, find_or_make, impossible
    from gpu_guide.tool.dry_run import run_in
    from gpu_guide.tool.words import explained, in_language

    language = options.language or system_language(HERE.languages)
    if why := impossible():
        raise GuideError(in_language(why, language))
    environment = at(options.python) if options.python else find_or_make(options.torch)
    if options.record is not None:
        record(options.record, HERE, environment)
        return 0
    if options.published is not None:
        published.record(options.published, HERE, environment)
        return 0
    if options.public is not None:
        public.record(options.public, HERE, environment)
        return 0
    if options.measured:
        measured.run_dry(HERE, environment)
        return 0
    try:
        return run_in(environment, options, language)
    except GuideError as error:
        raise GuideError(explained(error, language)) from None


def _no_stand_in() -> str:
    """Return why this machine cannot run the tests on a stand-in; "" if it can."""
    from gpu_guide.stand_in.build import compiler
    from gpu_guide.stand_in.environments import impossible

    try:
        compiler()
    except GuideError as error:
        return str(error)
    return impossible()

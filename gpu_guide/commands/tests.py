"""Commands that run tests, and say what tests cost and what they miss."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version

from gpu_guide.commands import SIDE_BY_SIDE, Add
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import HERE

SLOW = (
    "browser",
    "build",
    "distributed",
    "extras",
    "lab",
    "repeat",
    "slow",
    "stand_in",
)
"""Marks of tests that `make test` leaves to `make test-all`: see pyproject.toml."""
_QUICK = " and ".join(f"not {kind}" for kind in SLOW)
_ALONE = ("-n", "--numprocesses", "--dist", "-s", "--capture", "--pdb", "--trace", "--update")
"""How options begin that say themselves where tests run, or that need the terminal or the files."""


def declare(add: Add) -> None:
    """Add them to the parser."""
    test = add("test", _test, "test", "run the quick tests; further arguments go to pytest")
    test.add_argument("--all", action="store_true", help="also the slow ones, as CI does")
    test.add_argument("--since", help="leave out snippets that are as at this commit of git")
    watch = add("watch", _watch, "test", "run the tests of one snippet whenever it is saved")
    watch.add_argument("name", help="the snippet, for example check/devices")
    bench = add("bench", _bench, "test", "what snippets, a build and 1,000 pages a language cost")
    bench.add_argument("parts", nargs="*", metavar="part", help="snippets, build, large; or all")
    faults = add("faults", _faults, "test", "plant faults, and count what is noticed of them")
    faults.add_argument("kinds", nargs="*", metavar="kind", help="for example device; or all")
    faults.add_argument("--count", type=int, default=80, help="faults in snippets (default: 80)")
    faults.add_argument("--pages", type=int, default=40, help="faults in pages (default: 40)")
    faults.add_argument("--seed", type=int, help="of an earlier sample, to have the same again")
    faults.add_argument("--write", action="store_true", help="write the figure into the READMEs")
    tested = add("simulated-projects", _simulated_projects, "test", "run others' tests, simulated")
    tested.add_argument("ids", nargs="*", metavar="id", help="of data/simulated_projects.yml")


def _test(options: argparse.Namespace) -> int:
    environment = os.environ | {"PYTHONUTF8": "1"}
    # Where it is set, as in some containers, each process would compile the guide's code again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found = f"Python {platform.python_version()}, torch {version('torch')}"
    print(f"{sys.executable}: {found}", flush=True)
    since = ["--since", options.since] if options.since else []
    # Who asks for something has all of it run.
    some = ["-p", "gpu_guide.only_changed"] if since or not (options.all or options.rest) else []
    command = [sys.executable, "-m", "pytest", *some, *since, *_chosen(options.all, options.rest)]
    return subprocess.run(command, cwd=HERE.root, env=environment, check=False).returncode


def _watch(options: argparse.Namespace) -> int:
    from gpu_guide.watch import watch

    return watch(options.name, HERE)


def _bench(options: argparse.Namespace) -> int:
    from gpu_guide.bench import PARTS, bench

    for part in options.parts:
        if part not in PARTS:
            raise fault(None, None, f"no part {part!r}", did_you_mean(part, PARTS))
    return bench(HERE, options.parts)


def _faults(options: argparse.Namespace) -> int:
    from gpu_guide.faults.command import faults

    chosen = options.count, options.pages, options.seed, options.kinds
    return faults(HERE, *chosen, write=options.write)


def _simulated_projects(options: argparse.Namespace) -> int:
    from gpu_guide.faults.projects import record

    record(options.ids, HERE)
    return 0


def _chosen(everything: bool, arguments: Sequence[str]) -> list[str]:
    """The arguments of pytest: without slow tests, unless all are asked for, or some by name; and
    on all cores, unless files are named, which are done before other processes have started."""
    named = any("/" in word or ".py" in word for word in arguments if word[:1] != "-")
    marks = [] if everything or named or "-m" in arguments else ["-m", _QUICK]
    alone = any(".py" in word or word.startswith(_ALONE) for word in arguments)
    return [*marks, *([] if alone else SIDE_BY_SIDE), *arguments]

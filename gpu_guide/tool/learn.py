"""`gpu-guide learn`: programs to mend, each checked whenever it is saved."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gpu_guide.data.addresses import url_of
from gpu_guide.dry_run.words import Words
from gpu_guide.exercises.folder import WIDTH, Folder, wrapped
from gpu_guide.exercises.run import Checker, NoTorch, Outcome
from gpu_guide.exercises.source import Exercise, load_exercises
from gpu_guide.project import HERE
from gpu_guide.tool.readers_python import readers_python, why_no_torch

ACTIONS = ("next", "check", "hint", "solution", "reset", "list")
FOLDER = Path("gpu-exercises")
_LOOK = 0.2
"""Seconds between two looks at the file: a save is seen well within the second."""
_GONE = 10
"""Looks in a row that find no file: no editor takes so long for a save."""
_SHOWN = 12
"""Lines of what the program printed."""


def add_options(parser: argparse.ArgumentParser, say: Words) -> None:
    """What the command takes."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=ACTIONS,
        default=ACTIONS[0],
        metavar="ACTION",
        help=say("learn.action"),
    )
    parser.add_argument("exercise", nargs="?", metavar="EXERCISE", help=say("learn.exercise"))
    parser.add_argument(
        "--folder",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help=say("learn.folder"),
    )


def run(options: argparse.Namespace, say: Words) -> int:
    """1 if the program that is checked is not right yet."""
    folder = Folder(options.folder, load_exercises(HERE), say.language)
    folder.fill()
    exercise = _named(folder, options.exercise) if options.exercise else folder.next()
    own = Path(options.exercise or "")
    if exercise and options.action == "check" and own.suffix == ".py" and own.is_file():
        folder = replace(folder, own=own)  # a file that was downloaded, or lies elsewhere
    if options.exercise and exercise is None:
        print(say("learn_unknown", name=options.exercise), file=sys.stderr)
        return options.not_done
    if options.action == "list":
        return _list(folder, say)
    if exercise is None:
        print(say("learn_all_solved", count=len(folder.exercises)))
        return 0
    words = exercise.start.words[say.language]
    if options.action == "hint":
        print(say("learn_of", name=exercise.name, title=words["title"]))
        _print(words[folder.next_hint(exercise)])
    elif options.action == "solution":
        print(exercise.solution.read_text(encoding="utf-8"))
        _print(words["reason"])
    elif options.action == "reset":
        said = "learn_reset" if folder.reset(exercise) else "learn_unchanged"
        folder.forget(exercise)
        print(say(said, file=folder.file(exercise)))
    else:
        python = readers_python(options.python)
        try:
            with Checker(python) as checker:
                do = _check if options.action == "check" else _watch
                return do(folder, exercise, checker, say)
        except NoTorch:
            print(why_no_torch(python, say), file=sys.stderr)
            return options.not_done
    return 0


def _watch(folder: Folder, exercise: Exercise, checker: Checker, say: Words) -> int:
    """One exercise after the other, each checked now and whenever it is saved."""
    try:
        current: Exercise | None = exercise
        while current is not None:
            _show(folder, current, say)
            for there in _saves(folder.file(current)):
                if not there:
                    folder.reset(current)
                    print(say("learn_gone", file=folder.file(current)))
                elif _check(folder, current, checker, say):
                    print(say("learn_waits"))
                else:
                    break
            current = folder.next()
    except KeyboardInterrupt:  # which is how one stops for today
        return 0
    print(say("learn_all_solved", count=len(folder.exercises)))
    return 0


def _saves(file: Path) -> Iterator[bool]:
    """True at the beginning, then whenever the file has changed; False once it's gone."""
    seen, missed = None, 0
    while True:
        try:
            now, missed = (file.stat().st_mtime_ns, file.stat().st_size), 0
        except FileNotFoundError:  # between the two halves of a save, or for good
            now, missed = seen, missed + 1
        if missed == _GONE:
            yield False
        elif now != seen:
            seen = now
            yield True
        time.sleep(_LOOK)


def _show(folder: Folder, exercise: Exercise, say: Words) -> None:
    names = list(folder.exercises)
    words = exercise.start.words[say.language]
    print(f"\n[{names.index(exercise.name) + 1}/{len(names)}] {words['title']}")
    _print(words["task"])
    print(say("learn_file", file=folder.file(exercise)))


def _check(folder: Folder, exercise: Exercise, checker: Checker, say: Words) -> int:
    """0 if the reader's program is right. Says what the check saw."""
    outcome = checker.check(exercise, folder.file(exercise))
    if outcome.key:
        _output(outcome, say)
        _print(f"✗ {outcome.sentence(exercise, say.language)}")
        if outcome.key != "no_python":
            command = f"gpu-guide learn{_where(folder)} hint {exercise.name}"
            print(say("learn_section", section=f"{say.language}/{_address(exercise)}"))
            print(say("learn_stuck", command=command))
        return 1
    folder.solve(exercise)
    print(say("learn_solved", solved=len(folder.solved()), count=len(folder.exercises)))
    _print(exercise.start.words[say.language]["reason"])
    return 0


def _address(exercise: Exercise) -> str:
    """Where on the site it is explained, below the folder of the language."""
    page, _, section = exercise.start.section.partition("#")
    return f"{url_of(page)}#{section}"


def _where(folder: Folder) -> str:
    """The option that names the folder, if it is not the usual one."""
    return "" if folder.path == FOLDER else f" --folder {folder.path}"


def _output(outcome: Outcome, say: Words) -> None:
    if outcome.output:
        print(say("learn_printed"))
        for line in outcome.output[-_SHOWN:]:
            print(f"  {line}")


def _list(folder: Folder, say: Words) -> int:
    solved = folder.solved()
    for name, exercise in folder.exercises.items():
        mark = "✓" if name in solved else "·"
        print(f"{mark} {name:<40} {exercise.start.words[say.language]['title']}")
    return 0


def _named(folder: Folder, name: str) -> Exercise | None:
    """The exercise of this name, or of the end of its name, or of a file of the folder."""
    wanted = "/" + name.replace("\\", "/").removeprefix("./").removesuffix(".py")
    every = folder.exercises.items()
    return next(
        (
            one
            for known, one in every
            if f"/{known}".endswith(wanted) or wanted.endswith(f"/{known}")
        ),
        None,
    )


def _print(text: str) -> None:
    print("\n".join(wrapped(text, WIDTH)), file=sys.stdout)

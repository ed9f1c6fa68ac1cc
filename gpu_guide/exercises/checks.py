"""Checks of the exercises that need no run: enough words and attempts, and changes that apply."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_guide.exercises.source import Attempt, Exercise, load_exercises
from gpu_guide.problems import GuideError, Problem
from gpu_guide.project import Project

LONGEST = 40
"""Lines of a program."""
ATTEMPTS = 4
"""The least number of wrong attempts."""


def check(project: Project) -> Iterator[Problem]:
    """Every broken rule of the project's exercises."""
    if not project.exercises.is_dir():
        return
    try:
        exercises = load_exercises(project)
    except GuideError as error:
        yield from error.problems
        return
    for exercise in exercises.values():
        yield from _one(project, exercise)


def _one(project: Project, exercise: Exercise) -> Iterator[Problem]:
    for file in (exercise.program, exercise.solution, exercise.check):
        if not file.is_file():
            yield Problem(file, 1, "not there", "write it: exercises/README.md")
            return
    for file in (exercise.program, exercise.solution):
        lines = file.read_text(encoding="utf-8").count("\n")
        if lines > LONGEST:
            remedy = "leave out what its mistake does not need"
            yield Problem(file, LONGEST + 1, f"{lines} lines, at most {LONGEST}", remedy)
    wrong = [one for one in exercise.attempts if one.key]
    if len(wrong) < ATTEMPTS:
        what = f"{len(wrong)} attempts, at least {ATTEMPTS}"
        yield Problem(exercise.text, 1, what, "add what people really write")
    for line, attempt in zip(exercise.lines, exercise.attempts, strict=True):
        yield from _attempt(exercise, line, attempt)
    yield from _section(project, exercise)


def _attempt(exercise: Exercise, line: int, attempt: Attempt) -> Iterator[Problem]:
    program = exercise.program.read_text(encoding="utf-8")
    for old in attempt.change:
        if old not in program:
            what = f"attempt {attempt.attempt!r}: not in the program: {old!r}"
            yield Problem(exercise.text, line, what, "write the lines as they are there")


def _section(project: Project, exercise: Exercise) -> Iterator[Problem]:
    page, _, section = exercise.start.section.partition("#")
    for language in project.languages:
        file = project.docs / language / f"{page}.md"
        if not file.is_file() or f"{{ #{section} }}" not in file.read_text(encoding="utf-8"):
            what = f"section: no {exercise.start.section!r} in {language!r}"
            yield Problem(exercise.text, 1, what, "name a page and the id of a heading on it")

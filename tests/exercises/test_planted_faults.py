"""A fault planted in a check is noticed: each sentence taken out of it changes what somebody is
told."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_guide.exercises.run import Checker
from gpu_guide.exercises.source import Exercise, load_exercises
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

EXERCISES = load_exercises(HERE)


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker() as ready:
        yield ready


def sentences(source: str) -> Iterator[tuple[int, int, str]]:
    """The lines of each `return "key"` or `return "key", {…}`, and the key."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        first = node.value.elts[0] if isinstance(node.value, ast.Tuple) else node.value
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield node.lineno, node.end_lineno or node.lineno, first.value


def without(source: str, begin: int, end: int) -> str:
    """The check as if nobody had thought of this sentence."""
    rows = source.splitlines(keepends=True)
    indent = rows[begin - 1][: len(rows[begin - 1]) - len(rows[begin - 1].lstrip())]
    return "".join([*rows[: begin - 1], f"{indent}pass\n", *rows[end:]])


def told(checker: Checker, exercise: Exercise, program: Path) -> str:
    try:
        return checker.check(exercise, program).key
    except GuideError:
        return "the check fails"


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_a_sentence_that_is_taken_out_is_missed(
    exercise: Exercise, checker: Checker, tmp_path: Path
) -> None:
    program = exercise.program.read_text(encoding="utf-8")
    attempts = [(exercise.start.broken, program)]
    attempts += [(one.attempt, one.written(program)) for one in exercise.attempts]
    source = exercise.check.read_text(encoding="utf-8")
    planted = list(sentences(source))
    assert {key for _, _, key in planted} == set(exercise.says)
    for number, (begin, end, key) in enumerate(planted):
        folder = tmp_path / str(number)
        shutil.copytree(exercise.folder, folder)
        (folder / "check.py").write_text(without(source, begin, end), encoding="utf-8")
        faulty = replace(exercise, folder=folder)
        file = folder / "attempt.py"
        for text in (text for expected, text in attempts if expected == key):
            file.write_text(text, encoding="utf-8")
            if told(checker, faulty, file) != key:
                break
        else:
            pytest.fail(f"{exercise.name}/check.py:{begin}: nobody gets {key!r} from here")

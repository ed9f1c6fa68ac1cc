"""The program as it is fails, the solution passes, and each wrong attempt gets its own sentence."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_guide.exercises.run import Checker
from gpu_guide.exercises.source import COMMON, Exercise, load_exercises
from gpu_guide.project import HERE

EXERCISES = load_exercises(HERE)
each = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker() as ready:
        yield ready


@pytest.mark.slow
@each
def test_every_program_gets_its_sentence(
    exercise: Exercise, checker: Checker, tmp_path: Path
) -> None:
    """Without one branch of its check, an attempt would get another sentence, or none."""
    source = exercise.program.read_text(encoding="utf-8")
    attempts = [(exercise.start.broken, source)]
    attempts += [(attempt.key, attempt.written(source)) for attempt in exercise.attempts]
    attempts.append(("", exercise.solution.read_text(encoding="utf-8")))
    told = []
    for number, (_, program) in enumerate(attempts):
        file = tmp_path / f"attempt{number}.py"
        file.write_text(program, encoding="utf-8")
        outcome = checker.check(exercise, file)
        told.append(outcome.key)
        for language in HERE.languages if outcome.key else ():
            assert outcome.sentence(exercise, language)
    assert told == [expected for expected, _ in attempts]
    assert set(told) - COMMON - {""} == set(exercise.says), "a sentence that nobody gets"

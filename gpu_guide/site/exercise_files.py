"""site/exercises/<language>/: the programs to mend, for download, and a notebook for each page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpu_guide.exercises.folder import copy_of
from gpu_guide.exercises.source import Exercise, load_exercises
from gpu_guide.project import Project
from gpu_guide.render.exercise_list import difference
from gpu_guide.render.words import Words


def write(project: Project, out: Path) -> None:
    """Write them below `out`. Raises GuideError."""
    exercises = load_exercises(project)
    for language in project.languages:
        pages: dict[str, list[Exercise]] = {}
        for exercise in exercises.values():
            file = out / language / f"{exercise.name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(copy_of(exercise, language), encoding="utf-8")
            pages.setdefault(exercise.page, []).append(exercise)
        for page, chosen in pages.items():
            made = notebook(chosen, Words(language))
            text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
            name = page.rpartition("/")[2]
            (out / language / f"{name}.ipynb").write_text(text, encoding="utf-8")


def notebook(exercises: list[Exercise], say: Words) -> dict[str, Any]:
    """Each exercise as a cell that writes the file and one that checks it, with hints folded."""
    cells = [_code("install", "%pip install -q pytorch-gpu-guide")]
    for number, exercise in enumerate(exercises):
        cells += _cells(exercise, say, f"{number}")
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cells(exercise: Exercise, say: Words, number: str) -> Iterator[dict[str, Any]]:
    words = exercise.start.words[say.language]
    yield _text(f"task-{number}", f"## {words['title']}\n\n{words['task']}")
    program = exercise.program.read_text(encoding="utf-8")
    folder, _, name = exercise.name.partition("/")
    yield _code(f"make-{number}", f"!mkdir -p {folder}")
    yield _code(f"write-{number}", f"%%writefile {folder}/{name}.py\n{program.rstrip()}")
    check = f"!gpu-guide learn --lang {say.language} --folder . check {exercise.name}"
    yield _code(f"check-{number}", check)
    solution = f"```diff\n{difference(exercise)}\n```\n\n{words['reason']}"
    folded = [(say(f"exercise_{key}"), words[key]) for key in ("hint", "last_hint")]
    folded.append((say("solution"), solution))
    parts = [
        f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>" for title, text in folded
    ]
    yield _text(f"help-{number}", "\n\n".join(parts))


def _text(identity: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": identity, "metadata": {}, "source": _rows(text)}


def _code(identity: str, text: str) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": identity, "metadata": {}, "source": _rows(text)}
    return cell | {"execution_count": None, "outputs": []}


def _rows(text: str) -> list[str]:
    return text.splitlines(keepends=True)

"""The notebooks of the exercises, run by a kernel: a check tells what is wrong, and what right."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

from gpu_guide import ROOT
from gpu_guide.exercises.folder import WIDTH, wrapped
from gpu_guide.exercises.run import Checker
from gpu_guide.exercises.source import Exercise, load_exercises
from gpu_guide.project import HERE
from gpu_guide.render.words import Words
from gpu_guide.site.exercise_files import notebook

EXERCISES = load_exercises(HERE)


def run(exercise: Exercise, language: str, folder: Path) -> list[str]:
    """What the two checks print: of the program as it is, and with the solution in its place."""
    made = notebook([exercise], Words(language))
    (check,) = (cell for cell in made["cells"] if cell["id"].startswith("check-"))
    made["cells"] = [cell for cell in made["cells"] if cell["id"] != "install"]
    solution = exercise.solution.read_text(encoding="utf-8")
    written = {"source": f"%%writefile {exercise.name}.py\n{solution.rstrip()}", "id": "solution"}
    made["cells"] += [check | written, check | {"id": "again"}]
    book = nbformat.reads(json.dumps(made), as_version=4)  # lists of lines become texts
    nbformat.validate(book)
    client = NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}})
    # No folders to look in: then the kernel is this Python, whatever is installed.
    client.create_kernel_manager().kernel_spec_manager = KernelSpecManager(kernel_dirs=[])
    client.execute()
    code = (cell for cell in book.cells if cell.cell_type == "code")
    printed = {cell.id: "".join(one.get("text", "") for one in cell.outputs) for cell in code}
    return [printed[check["id"]], printed["again"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("to/dropped_result", "en"),
        ("leaks/list_of_losses", "zh"),
        ("ddp/total_of_one", "en"),
    ],
)
def test_a_notebook_tells_the_fault_and_takes_the_solution(
    name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = EXERCISES[name]
    commands = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", os.pathsep.join([commands, os.environ["PATH"]]))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    broken, solved = run(exercise, language, tmp_path)
    with Checker() as checker:
        said = checker.check(exercise, exercise.program).sentence(exercise, language)
    assert "\n".join(wrapped(f"✗ {said}", WIDTH)) in broken.replace("\r", "")
    assert "✓" in solved and "✗" not in solved

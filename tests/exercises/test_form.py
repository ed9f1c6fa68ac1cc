"""What is told of an exercise before anything runs: file, what is wrong, remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpu_guide.exercises.checks import check
from gpu_guide.exercises.source import load_exercises
from gpu_guide.project import HERE, Project

NAME = "to/dropped_result"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A guide with one exercise, and with the page that it leads to."""
    shutil.copytree(HERE.exercises / NAME, tmp_path / "exercises" / NAME)
    order = f"- page: exercises/move\n  exercises: [{NAME}]\n"
    (tmp_path / "exercises" / "order.yml").write_text(order, encoding="utf-8")
    for language, config in HERE.configs.items():
        shutil.copyfile(config, tmp_path / config.name)
        page = Path("docs", language, "learn", "move.md")
        (tmp_path / page).parent.mkdir(parents=True)
        shutil.copyfile(HERE.root / page, tmp_path / page)
    return Project(tmp_path)


def told(project: Project) -> str:
    return "\n".join(map(str, check(project)))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_good_one_is_told_nothing_and_neither_is_a_guide_without(
    project: Project, tmp_path: Path
) -> None:
    assert told(project) == ""
    assert told(Project(tmp_path / "docs")) == ""


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("program.py", "print(y.shape)", "\n" * 40, "program.py:41: 53 lines, at most 40"),
        ("solution.py", "print(y.shape)", "\n" * 40, "solution.py:41: 53 lines"),
        (
            "program.py",
            "model.to(device)\n",
            "",
            "text.yml:34: attempt 'nothing_moved': not in the program: 'model.to(device)\\n'",
        ),
        ("text.yml", "attempt: nothing_moved", "says: more", "text.yml:34: unknown key 'change'"),
        ("text.yml", "learn/move#rule", "learn/move#no", "no 'learn/move#no' in 'zh'"),
        ("text.yml", "broken: result_dropped", "brokn: a", "text.yml:1: unknown key 'brokn'"),
        ("text.yml", "    hint: The", "    hin: The", "text.yml:1: en: not the texts of a row"),
        ("text.yml", "  broken", "  gpus: ['two']\n  broken", "not a number of GPUs"),
        ("text.yml", "  broken", "  processes: 3\n  broken", "or of processes"),
        ("text.yml", "says: model_stayed", "says: nothing_moved", "'nothing_moved' again"),
    ],
)
def test_what_is_wrong_is_told(project: Project, file: str, old: str, new: str, says: str) -> None:
    edit(project.exercises / NAME / file, old, new)
    assert says in told(project)
    assert " — " in told(project)


def test_three_attempts_are_too_few(project: Project) -> None:
    text = project.exercises / NAME / "text.yml"
    parts = text.read_text(encoding="utf-8").split("- attempt:")
    text.write_text("- attempt:".join(parts[:4]), encoding="utf-8")
    assert "3 attempts, at least 4 — add what people really write" in told(project)


@pytest.mark.parametrize("file", ["program.py", "solution.py", "check.py"])
def test_a_file_that_is_not_there(project: Project, file: str) -> None:
    (project.exercises / NAME / file).unlink()
    assert f"{file}:1: not there — write it: exercises/README.md" in told(project)


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (
            "[to/droped_result]",
            "no exercise 'to/droped_result' — did you mean 'to/dropped_result'?",
        ),
        (f"[{NAME}, {NAME}]", f"'{NAME}' again — keep one of them"),
        ("[]", f"exercise '{NAME}' is on no page — name it in a topic, or delete it"),
    ],
)
def test_an_order_that_does_not_name_what_is_there(project: Project, order: str, says: str) -> None:
    edit(project.exercises / "order.yml", f"[{NAME}]", order)
    assert says in told(project)


def test_there_are_forty_in_the_order_of_the_road() -> None:
    folders = [name.partition("/")[0] for name in load_exercises(HERE)]
    assert list(dict.fromkeys(folders)) == [
        *("check", "device", "to", "models", "mismatch", "current_device"),
        *("memory", "out_of_memory", "leaks", "asynchronous", "data_loading", "precision"),
        *("ddp", "checkpoints", "fsdp"),
    ]
    assert len(folders) == 40

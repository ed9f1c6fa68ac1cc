"""`gpu-guide learn`, as a reader uses it: a folder of programs, checked when they are saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpu_guide.exercises.folder import Folder, copy_of, wrapped
from gpu_guide.exercises.source import Exercise, load_exercises
from gpu_guide.project import HERE
from gpu_guide.tool import learn, main

EXERCISES = load_exercises(HERE)
FIRST, SECOND, *_ = EXERCISES.values()
DROPPED = EXERCISES["to/dropped_result"]
Says = Callable[..., tuple[int, str]]


@pytest.fixture
def says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Says:
    """Call the command on a new folder: its exit status, and what it wrote."""

    def call(*arguments: str, language: str = "en") -> tuple[int, str]:
        folder = ["--folder", str(tmp_path / "mine"), "--lang", language]
        try:
            status = main.main(["learn", *folder, *arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        wrote = capsys.readouterr()
        return status, wrote.out + wrote.err

    return call


def solve(folder: Path, exercise: Exercise) -> None:
    """Write the solution below the comments of the reader's copy."""
    file = folder / "mine" / f"{exercise.name}.py"
    broken, right = (
        path.read_text(encoding="utf-8") for path in (exercise.program, exercise.solution)
    )
    file.write_text(file.read_text(encoding="utf-8").replace(broken, right), encoding="utf-8")


def told(text: str) -> str:
    """Lines that were broken to fit, as one."""
    return " ".join(text.split())


@pytest.mark.parametrize("language", HERE.languages)
def test_the_list_has_every_exercise_in_order_and_fills_the_folder(
    says: Says, tmp_path: Path, language: str
) -> None:
    status, out = says("list", language=language)
    assert status == 0
    assert [line.split()[:2] for line in out.splitlines()] == [["·", name] for name in EXERCISES]
    for exercise in EXERCISES.values():
        copy = (tmp_path / "mine" / f"{exercise.name}.py").read_text(encoding="utf-8")
        assert copy == copy_of(exercise, language)


def test_an_attempt_is_told_what_is_wrong_and_a_solution_is_remembered(
    says: Says, tmp_path: Path
) -> None:
    status, out = says("check", "dropped_result")
    line = 1 + copy_of(DROPPED, "en").splitlines().index("x.to(device)")
    assert status == 1
    assert f"Line {line} made a copy that nobody kept" in told(out)
    assert "en/learn/move/#rule" in out
    solve(tmp_path, DROPPED)
    status, out = says("check", str(tmp_path / "mine" / "to" / "dropped_result.py"))
    assert status == 0
    assert told(DROPPED.start.words["en"]["reason"]) in told(out)
    assert f"✓ {DROPPED.name} " in says("list")[1]


def test_a_file_that_was_downloaded_is_checked_where_it_lies(
    says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dropped_result.py").write_text(DROPPED.solution.read_text(encoding="utf-8"), "utf-8")
    status, out = says("check", "./dropped_result.py")
    assert status == 0
    assert "✓" in out
    status, out = says("check", "dropped_result")
    assert status == 1
    assert f"hint {DROPPED.name}" in out


def test_hints_come_one_after_the_other_and_the_last_one_stays(says: Says) -> None:
    words = FIRST.start.words["zh"]
    for key in ("hint", "last_hint", "last_hint"):
        out = told(says("hint", language="zh")[1]).replace(" ", "")
        assert out == f"{FIRST.name}：{words['title']}{words[key]}".replace(" ", "")


def test_the_solution_is_shown_with_its_reason(says: Says) -> None:
    _, out = says("solution", FIRST.name.partition("/")[2])
    assert FIRST.solution.read_text(encoding="utf-8") in out
    assert told(FIRST.start.words["en"]["reason"]) in told(out)


def test_a_reset_keeps_what_was_written(says: Says, tmp_path: Path) -> None:
    says("list")
    solve(tmp_path, FIRST)
    says("check")
    file = tmp_path / "mine" / f"{FIRST.name}.py"
    mine = file.read_text(encoding="utf-8")
    says("reset", FIRST.name)
    assert file.read_text(encoding="utf-8") == copy_of(FIRST, "en")
    assert file.with_suffix(".py.old").read_text(encoding="utf-8") == mine
    assert says("list")[1].startswith(f"· {FIRST.name}")


def test_a_reset_of_what_nobody_changed_keeps_no_second_file(says: Says, tmp_path: Path) -> None:
    says("list")
    assert told(says("reset", FIRST.name)[1]).endswith(": you hadn't changed it.")
    assert not list((tmp_path / "mine").rglob("*.old"))


def test_a_file_that_was_deleted_comes_back(
    says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine" / f"{FIRST.name}.py"
    waited: list[float] = []

    def delete(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            file.unlink()
        if len(waited) == learn._GONE + 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(learn.time, "sleep", delete)
    status, out = says()
    assert status == 0
    assert told(out).count("was gone. Here it is again") == 1
    assert file.read_text(encoding="utf-8") == copy_of(FIRST, "en")
    assert out.count("✗") == 2


def test_a_slip_of_the_pen_is_told_without_the_page_that_explains_gpus(
    says: Says, tmp_path: Path
) -> None:
    says("list")
    (tmp_path / "mine" / f"{FIRST.name}.py").write_text("if x\n", encoding="utf-8")
    assert told(says("check", FIRST.name)[1]) == "✗ Line 1 isn't Python: expected ':'"


def test_what_a_reader_wrote_is_never_written_over(says: Says, tmp_path: Path) -> None:
    says("list")
    file = tmp_path / "mine" / f"{FIRST.name}.py"
    file.write_text("mine = 1\n", encoding="utf-8")
    says("list", language="zh")
    assert file.read_text(encoding="utf-8") == "mine = 1\n"


def test_each_save_is_checked_and_the_next_exercise_follows(
    says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def save(seconds: float) -> None:
        """What a reader does while the command waits."""
        waited.append(seconds)
        if len(waited) == 2:
            solve(tmp_path, FIRST)
        if len(waited) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(learn.time, "sleep", save)
    status, out = says()
    assert status == 0
    assert set(waited) == {learn._LOOK}
    order = ["[1/", "✗", "/#", "✓", "[2/", SECOND.start.words["en"]["title"]]
    assert sorted(order, key=out.index) == order


def test_what_cannot_be_is_told_in_a_sentence(says: Says, tmp_path: Path) -> None:
    assert says("check", "no_such") == (
        64,
        "There is no exercise no_such. See: gpu-guide learn list\n",
    )
    says("list")
    (tmp_path / "mine" / ".progress.json").write_text("{", encoding="utf-8")
    status, out = says("list")
    assert status == 64
    assert ".progress.json: not a list of what is solved — delete it" in out
    status, out = says("check", FIRST.name, "--python", str(tmp_path / "no-python"))
    assert status == 64
    assert "no-python cannot be run" in out


def test_chinese_lines_are_cut_at_78_columns_and_words_stay_whole() -> None:
    text = FIRST.start.words["zh"]["reason"]
    lines = wrapped(text, 40)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert len(lines) > 2
    assert all("`x.to(device)`" in line for line in lines if "x.to" in line)
    assert not any(line[0] in "，。、；" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path, EXERCISES, "en")
    made.fill()
    yield made


def test_progress_is_one_small_file(folder: Folder) -> None:
    folder.next_hint(SECOND)
    folder.solve(FIRST)
    folder.solve(FIRST)
    assert json.loads((folder.path / ".progress.json").read_text(encoding="utf-8")) == {
        "solved": [FIRST.name],
        "hints": {SECOND.name: 1},
    }
    assert folder.next() == SECOND
    folder.forget(FIRST)
    assert folder.next() == FIRST

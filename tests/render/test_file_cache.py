"""What files hold is read once per state of the files, and in a build once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded, one_state
from gpu_guide.site.preload import preload


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split()


def write(path: Path, text: str, at: int) -> None:
    """Write the file, last changed `at` seconds."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at, at))


def test_a_file_is_read_again_once_it_is_another(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    write(path, "one", at=1)
    first = loaded(lines_of, path, path)
    assert first == ["one"] and loaded(lines_of, path, path) is first
    write(path, "two", at=2)
    assert loaded(lines_of, path, path) == ["two"]


def test_a_build_sees_one_state_and_the_next_the_file_as_it_is_then(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    write(path, "one", at=1)
    with one_state():
        assert loaded(lines_of, path, path) == ["one"]
        write(path, "two", at=2)
        assert loaded(lines_of, path, path) == ["one"]
    assert loaded(lines_of, path, path) == ["two"]
    with one_state():
        assert loaded(lines_of, path, path) == ["two"]


def test_a_build_that_breaks_off_leaves_no_state(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    write(path, "one", at=1)
    with pytest.raises(GuideError), one_state():
        loaded(lines_of, path, path)
        raise GuideError("broken")
    write(path, "two", at=2)
    assert loaded(lines_of, path, path) == ["two"]


def test_what_is_wrong_with_a_file_is_left_for_the_build_to_say(small_project: Path) -> None:
    (snippet,) = list(small_project.glob("snippets/**/*.py"))[:1]
    snippet.write_text("print(1", encoding="utf-8")
    preload(Project(small_project))


def test_a_project_is_the_same_however_its_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So what was read of it is known: MkDocs alone names it in two ways."""
    monkeypatch.chdir(tmp_path)
    asked: list[Project] = []

    def read(project: Project) -> int:
        asked.append(project)
        return len(asked)

    for root in (tmp_path, Path("."), Path("x/..")):
        assert loaded(read, Project(root), tmp_path / "none") == 1

"""The exercises on pages, as downloads, and as notebooks."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from no_network import CALL

from gpu_guide.exercises.folder import copy_of
from gpu_guide.exercises.source import load_exercises, load_topics
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.render.exercise_list import ExerciseList, anchor, difference
from gpu_guide.render.words import Words
from gpu_guide.site import exercise_files

EXERCISES = load_exercises(HERE)


@pytest.fixture(params=HERE.languages)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


def test_each_page_shows_its_exercises_in_their_order(language: str) -> None:
    listed = ExerciseList(HERE, Words(language))
    for topic in load_topics(HERE).values():
        page = (HERE.docs / language / f"{topic.page}.md").read_text(encoding="utf-8")
        assert f"```exercises\n{topic.page}\n```" in page
        text = listed(topic.page)
        anchors = [anchor(EXERCISES[name]) for name in topic.exercises]
        assert re.findall(r"^## .+ \{ #(\S+) \}$", text, re.MULTILINE) == anchors
        for name in topic.exercises:
            exercise = EXERCISES[name]
            words = exercise.start.words[language]
            for told in (words["title"], words["task"], words["hint"], words["last_hint"]):
                assert told in text
            assert exercise.program.read_text(encoding="utf-8").rstrip() in text


def test_the_solution_is_folded_with_its_reason_and_where_it_is_explained() -> None:
    text = ExerciseList(HERE, Words("en"))("exercises/move")
    folded = text[text.index('??? note "Solution"') :]
    assert "    ```diff" in folded and "    +x = x.to(device)" in folded
    assert EXERCISES["to/dropped_result"].start.words["en"]["reason"] in folded
    assert "(../learn/move.md#rule)" in folded


def test_an_unknown_page_is_told() -> None:
    with pytest.raises(GuideError, match="no exercises of 'exercises/mov' — did you mean"):
        ExerciseList(HERE, Words("en"))("exercises/mov")


def test_each_program_can_be_downloaded_in_both_languages(tmp_path: Path) -> None:
    exercise_files.write(HERE, tmp_path)
    for language in HERE.languages:
        for name, exercise in EXERCISES.items():
            file = tmp_path / language / f"{name}.py"
            assert file.read_text(encoding="utf-8") == copy_of(exercise, language)


def test_a_notebook_writes_each_program_and_checks_it(tmp_path: Path, language: str) -> None:
    """The commands of one exercise are run as the notebook would run them."""
    exercise_files.write(HERE, tmp_path)
    for topic in load_topics(HERE).values():
        file = tmp_path / language / f"{topic.page.rpartition('/')[2]}.ipynb"
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        assert len({cell["id"] for cell in cells}) == len(cells)
        sources = ["".join(cell["source"]) for cell in cells]
        for name in topic.exercises:
            program = EXERCISES[name].program.read_text(encoding="utf-8").rstrip()
            assert f"%%writefile {name}.py\n{program}" in sources
            assert any(source.endswith(f"check {name}") for source in sources)
            assert any(difference(EXERCISES[name]) in source for source in sources)
    move = json.loads((tmp_path / language / "move.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in move if cell["cell_type"] == "code"][1:4]
    folder, program, check = code
    work = tmp_path / "work"
    for made in folder.split()[2:]:
        (work / made).mkdir(parents=True)
    first, _, text = program.partition("\n")
    (work / first.split()[1]).write_text(text, encoding="utf-8")
    command = [sys.executable, *CALL, *shlex.split(check)[1:]]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    assert "cuda:0" in done.stdout and done.returncode == 1, done.stderr

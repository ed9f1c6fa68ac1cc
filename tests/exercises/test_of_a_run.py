"""What belongs to one run of a program: its files, what it saves, and the memory of cuBLAS."""

import json
from pathlib import Path

import pytest

from gpu_guide.exercises.observer.program import Missing, Ran
from gpu_guide.exercises.run import Checker
from gpu_guide.exercises.source import Exercise, Sentence, Start

PROGRAM = """import os, torch
torch.save({"rank": int(os.environ["RANK"])}, "saved.pt")
workspace = os.environ.get("CUBLAS_WORKSPACE_CONFIG")
"""
CHECK = """def check(ran):
    saved = [event.line for event in ran.of("save")]
    here = __import__("os").getcwd()
    return "says", {"seen": __import__("json").dumps([saved, here, ran["workspace"]])}
"""


@pytest.mark.parametrize("memory", [False, True])
def test_files_go_with_the_run_and_cublas_takes_little_where_memory_counts(
    tmp_path: Path, memory: bool
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "check.py").write_text(CHECK, encoding="utf-8")
    start = Start("", "", {}, processes=2, memory=memory)
    says = {"says": Sentence("says", {})}
    exercise = Exercise("a/b", tmp_path, "", start, says, (), {})
    with Checker() as checker:
        seen = json.loads(checker.check(exercise, program).values["seen"])
    saved, folder, workspace = seen
    assert saved == [2]
    assert workspace == (":16:8" if memory else None)
    assert Path(folder) not in (tmp_path, Path.cwd())
    assert not Path(folder).exists()
    assert not (tmp_path / "saved.pt").exists()


def test_a_process_that_was_judged_is_not_waited_for(tmp_path: Path) -> None:
    """Without this, a reader waits for the grace period although all has been said."""
    (tmp_path / "1.json").touch()
    ran = Ran(tmp_path / "program.py", gpus=0, ranks=2, result=tmp_path / "0.json")
    with pytest.raises(Missing):
        ran.from_ranks(1)

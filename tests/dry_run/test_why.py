"""What a dry run says of the exception that ended a script."""

from __future__ import annotations

from pathlib import Path

from gpu_guide.dry_run.command import _why
from gpu_guide.dry_run.run import Outcome
from gpu_guide.dry_run.words import Words
from gpu_guide.stand_in.environments import CudaEnvironment


def _said(**error: object) -> str:
    whole = {"kind": "ModuleNotFoundError", "place": ["/x/train.py", 3]} | error
    outcome = Outcome(1, 1.0, (), (), (whole,))
    return _why(outcome, CudaEnvironment(Path("/venv")), 1, Words("en"))


def test_a_module_that_is_missing_is_named_with_the_command() -> None:
    said = _said(text="No module named 'timm.data'", name="timm.data")
    assert said.startswith("train.py:3: the script imports timm,")
    assert "/venv/bin/python -m pip install timm" in said


def test_what_cannot_run_here_is_no_fault_of_the_script() -> None:
    text = "CUDA error: operation not supported when calling `cusparseCreate(handle)`"
    said = _said(kind="RuntimeError", text=text, name=None)
    assert said == f"train.py:3: {text} — leave that operator out to see the memory of the rest"


def test_a_process_that_another_started_says_its_last_line() -> None:
    text = "\n\n-- Process 1 terminated with the following error:\nTraceback\nKeyError: 'x'"
    said = _said(kind="ProcessRaisedException", text=text, name=None)
    assert said == "train.py:3: KeyError: 'x'"


def test_what_a_library_raises_in_its_own_words_is_given_as_it_is() -> None:
    text = "Could not import module 'AutoModel'. Are this object's requirements defined correctly?"
    assert _said(text=text, name=None) == f"train.py:3: ModuleNotFoundError: {text}"

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


def test_what_a_library_raises_in_its_own_words_is_given_as_it_is() -> None:
    text = "Could not import module 'AutoModel'. Are this object's requirements defined correctly?"
    assert _said(text=text, name=None) == f"train.py:3: ModuleNotFoundError: {text}"

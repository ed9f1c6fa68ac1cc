"""A file of data/ with one thing wrong is refused, with file, line and remedy."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from malformed_data import DATA, begin_with

from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

FAULTS = [
    pytest.param(one, fault, id=f"{one['file']}{fault['says']}")
    for one in DATA
    for fault in one["faults"]
]


@pytest.mark.parametrize(("one", "fault"), FAULTS)
def test_what_is_wrong_is_told(tmp_path: Path, one: dict[str, Any], fault: dict[str, str]) -> None:
    text = one.get("text") or (HERE.data / f"{one['file']}.yml").read_text(encoding="utf-8")
    assert fault.get("old", "") in text
    wrong = fault["whole"] if "whole" in fault else text.replace(fault["old"], fault["new"], 1)
    module, _, name = one["loader"].partition(":")
    with pytest.raises(GuideError) as caught:
        getattr(import_module(module), name)(begin_with(one["file"], wrong, tmp_path))
    said = str(caught.value)
    assert fault["says"] in said and f"{one['file']}.yml:" in said and " — " in said


@pytest.mark.parametrize("one", [one for one in DATA if "text" in one], ids=lambda one: one["file"])
def test_the_small_file_is_right(tmp_path: Path, one: dict[str, Any]) -> None:
    module, _, name = one["loader"].partition(":")
    assert getattr(import_module(module), name)(begin_with(one["file"], one["text"], tmp_path))

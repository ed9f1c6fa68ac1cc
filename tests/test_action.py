"""action.yml, with which the CI of other projects runs a dry run: its form, and the page of it."""

from __future__ import annotations

import re

import pytest
import yaml

from gpu_guide import ROOT
from gpu_guide.project import HERE

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]


def test_it_is_a_composite_action_that_names_the_shell_of_each_step() -> None:
    assert ACTION["runs"]["using"] == "composite" and ACTION["name"] and ACTION["description"]
    assert [step["shell"] for step in STEPS] == ["bash", "bash"]


def test_each_input_is_described_and_reaches_the_script_as_a_variable_alone() -> None:
    scripts = "\n".join(step["run"] for step in STEPS)
    assert "${{" not in scripts
    given = {name: text for step in STEPS for name, text in step.get("env", {}).items()}
    wanted = {name.upper(): f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert given == wanted
    for name, one in ACTION["inputs"].items():
        assert one["description"] and ("default" in one) != one.get("required", False), name
        assert f'"${name.upper()}"' in scripts, name


@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_gives_it_what_it_takes(language: str) -> None:
    page = (HERE.docs / language / "memory" / "dry-run.md").read_text(encoding="utf-8")
    (shown,) = [one for one in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "uses" in one]
    *_, step = yaml.safe_load(shown)
    needed = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert needed <= step["with"].keys() <= ACTION["inputs"].keys()

"""Every snippet is collected as a test; what is wrong with it is a failure in words of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide import ROOT
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records import simulated
from gpu_guide.records.assess import is_repeated
from gpu_guide.records.store import load_records
from gpu_guide.run.machine import CPU, Environment
from gpu_guide.run.runner import Tier
from gpu_guide.run.tiers import plan
from gpu_guide.snippets.model import Printed, parse, well_formed_snippets

TITLE = '"""Title.\n\n标题。\n"""\n'
FILES = {
    "good": 'print("x")\n#> x\n',
    "on_a_device": 'import torch\nx = torch.ones(1, device="cuda")\nprint(x.device)\n#> cuda:0\n',
    "test_of_nothing": 'print("y")\n#> z\n',
    "malformed": "# zh: 只有一种语言\nprint(0)\n",
}


def pytest_says_by_itself(folder: Path, *arguments: str) -> str:
    """What it says in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def outcomes(said: str) -> dict[str, str]:
    return {name: outcome for outcome, name in re.findall(r"^([A-Z]+) (snippets/\S+)", said, re.M)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    options = 'addopts = ["-p", "gpu_guide.pytest_plugin"]\n'
    options += 'markers = ["slow: takes long", "repeat: a second run"]\n'
    text = f"[tool.pytest.ini_options]\n{options}"
    begin(tmp_path, files={"pyproject.toml": text})
    (tmp_path / "tests").mkdir()
    slow = "import pytest\n@pytest.mark.slow\n@pytest.mark.parametrize('i', range(4))\n"
    slow += "def test_slow(i):\n    assert False\n"
    (tmp_path / "tests" / "test_slow.py").write_text(slow, encoding="utf-8")
    (tmp_path / "snippets" / "t").mkdir(parents=True)
    for name, code in FILES.items():
        header = "# needs: cuda\n" if name == "on_a_device" else ""
        path = tmp_path / "snippets" / "t" / f"{name}.py"
        path.write_text(f"{TITLE}{header}\n{code}", encoding="utf-8")
    return tmp_path


QUICK = "not slow and not repeat"
RESULTS = {
    "snippets/t/good.py::cpu": "PASSED",
    "snippets/t/malformed.py::format": "FAILED",
    "snippets/t/on_a_device.py::simulated": "PASSED",
    "snippets/t/test_of_nothing.py::cpu": "FAILED",
}


def test_each_file_passes_or_fails_and_is_counted_by_tier(project, here, own_pytest):
    said = own_pytest(project, "-m", QUICK, "snippets", "tests")
    check_what_is_said(said, here)


@pytest.mark.distributed
def test_several_processes_pass_and_count_the_same(project, here):
    said = pytest_says_by_itself(project, "-n", "2", "-m", QUICK, "snippets", "tests")
    check_what_is_said(said, here)


def check_what_is_said(said: str, here: Environment) -> None:
    if here.id != CPU:
        pytest.skip("the lines in the files are compared on a CPU build")
    assert outcomes(said) == RESULTS
    assert "-#> z" in said and "malformed.py:6:" in said and "Traceback" not in said
    assert "Tests left out: 3 repeat, 4 slow (`make test-all` runs them)" in said.splitlines()
    assert "3 snippets: 1 cpu, 1 simulated, 1 needs a GPU (not run here)" in said.splitlines()


def test_outputs_and_layout_are_written_where_the_command_names_the_file(project, own_pytest):
    file = project / "snippets" / "t" / "test_of_nothing.py"
    said = own_pytest(project, "--update-examples", "snippets/t/test_of_nothing.py", "-m", QUICK)
    assert outcomes(said) == {"snippets/t/test_of_nothing.py::cpu": "PASSED"}
    assert file.read_text(encoding="utf-8").endswith('print("y")\n#> y\n')
    file.write_text(f"{TITLE}\nimport sys\nprint( 'y' )\n", encoding="utf-8")
    own_pytest(project, "--update-examples", "snippets/t/test_of_nothing.py")
    assert file.read_text(encoding="utf-8") == f'{TITLE}\nprint("y")\n#> y\n'
    assert "leave -n away" in own_pytest(project, "--update-examples", "-n", "2", "snippets")


RANKS = """# needs: torchrun:2

import os
import sys

print({})
#> 0
#> 1
"""


@pytest.mark.parametrize(
    ("printed", "again"), [('os.environ["RANK"]', "PASSED"), ("hash('x')", "FAILED")]
)
@pytest.mark.distributed
def test_a_second_run_is_a_test_of_its_own(project, here, own_pytest, printed, again):
    """Which the quick tests leave out; alone, it makes the first run itself."""
    file = project / "snippets" / "t" / "ranks.py"
    file.write_text(TITLE + RANKS.format(printed), encoding="utf-8")
    name = "snippets/t/ranks.py::torchrun"
    assert outcomes(own_pytest(project, f"{name}-repeat")) == {f"{name}-repeat": again}
    said = own_pytest(project, "-m", QUICK, "snippets/t/ranks.py")
    assert outcomes(said).keys() == {name} and "left out: 1 repeat" in said
    said = own_pytest(project, "snippets/t/ranks.py")
    assert outcomes(said)[f"{name}-repeat"] == again and outcomes(said).keys() >= {name}


def test_every_snippet_of_the_guide_is_collected(here, own_pytest):
    said = own_pytest(ROOT, "snippets", "--collect-only")
    wanted = {
        f"{snippet.path.relative_to(ROOT).as_posix()}::{tier}"
        for snippet in well_formed_snippets(HERE)
        for tier in plan(snippet, here).tiers
    }
    again = {
        f"{snippet.path.relative_to(ROOT).as_posix()}::{tier}-repeat"
        for snippet in well_formed_snippets(HERE)
        for tier in plan(snippet, here).tiers
        if is_repeated(snippet, tier)
    }
    assert {line for line in said.splitlines() if "::" in line} == wanted | again
    assert len(wanted) > 300


# --- What is kept of simulated runs ---


@pytest.fixture
def snippet(project):
    return parse(project / "snippets" / "t" / "good.py", Project(project))


def test_what_a_simulated_gpu_prints_is_kept_and_compared(snippet, tmp_path):
    file = tmp_path / "records" / "simulated.json"
    simulated.update(snippet, (Printed(0, "cuda:0\nagain"),), file)
    assert not simulated.problem_with(snippet, (Printed(0, "cuda:0\nagain"),), file)
    problem = simulated.problem_with(snippet, (Printed(0, "cpu\nagain"),), file)
    assert "-print 1: cuda:0" in problem and "--update-examples" in problem
    assert "good.py" in problem and "records/simulated.json" in problem
    simulated.update(snippet, (), file)
    assert simulated.read(file) == {}


def test_what_is_simulated_is_no_machines_record(snippet, tmp_path):
    simulated.update(snippet, (Printed(0, "x"),), Project(tmp_path).simulated_record)
    assert load_records(Project(tmp_path)) == []


def test_an_edit_by_hand_of_what_is_kept_is_told(snippet, tmp_path):
    file = tmp_path / "simulated.json"
    simulated.update(snippet, (Printed(0, "cuda:0"),), file)
    file.write_text(file.read_text("utf-8").replace("cuda:0", "cpu"), encoding="utf-8")
    where = re.escape("simulated.json:snippets['t/good']: changed since it was recorded — ")
    with pytest.raises(GuideError, match=where):
        simulated.problem_with(snippet, (Printed(0, "cpu"),), file)


@pytest.mark.parametrize("text", ["{", "[]", '{"snippets": {"a": [1]}}', '{"a": {}}'])
def test_a_file_that_nobody_wrote_is_named(tmp_path, text):
    file = tmp_path / "simulated.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(GuideError, match=r"simulated\.json"):
        simulated.read(file)


def test_what_is_kept_is_of_snippets_that_are_simulated(here):
    names = {
        snippet.name
        for snippet in well_formed_snippets(HERE)
        if Tier.SIMULATED in plan(snippet, here).tiers
    }
    assert (gone := simulated.read(HERE.simulated_record).keys() - names) == set(), (
        f"delete {gone} from the record"
    )

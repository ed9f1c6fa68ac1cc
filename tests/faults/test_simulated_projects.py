"""Other projects' tests on simulated GPUs: the record against the data and the page."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.data.simulated_projects import KINDS, OtherProject, Planted, compared, load_tested
from gpu_guide.faults.projects import outcomes, run
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.render.named_tables import named_tables
from gpu_guide.render.words import Words
from gpu_guide.repositories import MIRRORS

PAIRS = compared(HERE)


def test_six_projects_have_a_fault_of_each_kind() -> None:
    assert len(PAIRS) == 6
    for one, found in PAIRS:
        assert {planted.kind for planted in one.faults} == set(KINDS), one.id
        assert len(found.faults) == len(one.faults)
        assert re.fullmatch("[0-9a-f]{40}", one.commit) and one.license


@pytest.mark.parametrize(("one", "found"), PAIRS, ids=[one.id for one, _ in PAIRS])
def test_what_fails_and_what_goes_unnoticed_has_a_reason(one, found) -> None:
    assert set(one.failing) == set(found.failed)
    for planted, came in zip(one.faults, found.faults, strict=True):
        assert bool(planted.unnoticed) == (not came["simulated"]), planted


@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_says_how_many_failed_or_stayed_hidden(language: str) -> None:
    text = (HERE.docs / language / "check" / "test-without-gpu.md").read_text(encoding="utf-8")
    section = text.partition("{ #others }")[2].partition("\n## ")[0]
    numbers = [int(one) for one in re.findall(r"\d+", re.sub(r"`[^`]*`", "", section))]
    reasons = [why for one, _ in PAIRS for why in one.failing.values()]
    missed = [planted.unnoticed for one, _ in PAIRS for planted in one.faults if planted.unnoticed]
    failed = [reasons.count(kind) for kind in ("values", "theirs")]
    assert numbers == [*failed, len(missed), missed.count("equal")]


def test_the_table_of_faults_counts_all() -> None:
    html = str(named_tables(HERE, Words("en"))["check/others-faults"]())
    total = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)[-1]
    faults = [one for _, found in PAIRS for one in found.faults]
    found = [sum(bool(one[key]) for one in faults) for key in ("without", "simulated")]
    assert re.findall(r">\s*(\d+)\s*<", total) == [str(len(faults)), *map(str, found)]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("kind: move", "kind: moved", "kind: 'moved'"),
        ("  license: MIT\n", "", "license: missing"),
        ("faults:", "faults: 3\n  others:", "faults: not a list"),
    ],
)
def test_malformed_data_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    data = (
        "- id: one\n  repository: r\n  commit: c\n  license: MIT\n  needs: []\n  files: [a]\n"
        "  source: [.]\n  tests: [t]\n"
        "  faults:\n    - {kind: move, file: a, old: b, new: c}\n"
    )
    project = begin(tmp_path / "good", files={"data/simulated_projects.yml": data})
    assert [one.id for one in load_tested(project).values()] == ["one"]
    with pytest.raises(GuideError, match=r"simulated-projects one"):
        compared(project)
    project = begin(tmp_path, files={"data/simulated_projects.yml": data.replace(old, new)})
    with pytest.raises(GuideError, match=told):
        load_tested(project)


def test_outcomes_are_read_from_junits_file() -> None:
    refused = "torch.compile is not simulated: it needs a real GPU"
    cases = {
        "passes": "",
        "fails": "<failure/>",
        "error": "<error/>",
        "skips": '<skipped message="no GPU"/>',
        "expected": '<skipped type="pytest.xfail" message=""/>',
        "refused": f'<skipped message="{refused}"/>',
    }
    inside = "".join(
        f'<testcase classname="t" name="{name}">{came}</testcase>' for name, came in cases.items()
    )
    inside += '<testcase classname="t" name="fails"/>'  # a subtest that passed
    came, reasons = outcomes(Xml.fromstring(f"<s>{inside}</s>"))
    assert [came[f"t::{name}"] for name in cases] == (
        ["passed", "failed", "failed", "skipped", "passed", "refused"]
    )
    assert reasons == {"torch.compile": 1}


OWN = """
import pytest, torch
from scaled import scale

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")

def test_here():
    assert scale(torch.ones(2)).sum() == 4

@needs_gpu
def test_there():
    assert scale(torch.ones(2, device="cuda:1")).device.index == 1

@needs_gpu
def test_stream():
    torch.cuda.Stream()
"""


@pytest.mark.slow
def test_a_project_is_run_without_and_with_each_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, bare = tmp_path / "work", tmp_path / "owner" / "scaled.git"
    work.mkdir()
    code = "import torch\n\ndef scale(x):\n    return x * torch.full((2,), 2, device=x.device)\n"
    (work / "scaled.py").write_text(code, encoding="utf-8")
    (work / "test_own.py").write_text(OWN, encoding="utf-8")
    me = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", work, bare], check=True)
    asked = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(asked, cwd=work, capture_output=True, text=True, check=True).stdout
    monkeypatch.setenv(MIRRORS, str(tmp_path))
    planted = Planted("make", "scaled.py", ", device=x.device)", ")")
    files = ("scaled.py", "test_own.py")
    at = "https://github.com/owner/scaled", commit.strip(), "MIT"
    one = OtherProject("scaled", *at, (), files, (".",), ("test_own.py",), faults=(planted,))
    found = run(one, Path(sys.executable))
    assert found.without == {"passed": 1, "failed": 0, "skipped": 2, "refused": 0}
    assert found.simulated == {"passed": 2, "failed": 0, "skipped": 0, "refused": 1, "new": 1}
    assert found.refused == {"torch.cuda.Stream": 1}
    assert found.faults == [{"without": "", "simulated": "test_own::test_there"}]

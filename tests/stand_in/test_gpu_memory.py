"""The mark of readers' own tests: how much memory one takes on a card that nobody has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from gpu_guide import ROOT
from gpu_guide.tool.gpu_memory import Measured, measured
from gpu_guide.tool.pytest_plugin import INSIDE

TESTS = """
    import pytest, torch

    def step(width):
        weight = torch.empty(width, width, device="cuda", requires_grad=True)
        (torch.ones(8, width, device="cuda") @ weight).sum().backward()

    @pytest.mark.gpu_memory("t4")
    def test_fits():
        step(4096)

    @pytest.mark.gpu_memory("t4", at_most="64 MiB")
    def test_takes_more():
        step(4096)

    @pytest.mark.gpu_memory("t4")
    def test_does_not_fit():
        step(50_000)

    @pytest.mark.gpu_memory("t4")
    def test_nothing_fits():
        step(70_000)

    @pytest.mark.gpu_memory("t4")
    def test_is_wrong():
        step(64)
        assert torch.cuda.device_count() == 2, "there is one"

    @pytest.mark.gpu_memory("t4")
    def test_uses_none():
        torch.ones(2)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's project, whose Python has the package in a folder that is not the guide's, which
    is taken out of the path where a stand-in starts another."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "gpu_guide").symlink_to(ROOT / "gpu_guide")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.setenv("PYTEST_PLUGINS", "gpu_guide.tool.pytest_plugin")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def test_a_test_is_measured_in_a_process_of_its_own(project: Path) -> None:
    (project / "test_own.py").write_text(dedent(TESTS), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"]
    command += ["--require-gpu-memory"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    said = done.stdout
    assert "5 failed, 1 passed" in said, said + done.stderr
    assert "PASSED test_own.py::test_fits" in said
    assert "reserved on Tesla T4, and at most 64 MiB may be" in said
    shown = said.partition("short test summary info")[0]
    assert shown.count("Does not fit on Tesla T4 (14.58 GiB): out of memory in step 1.") == 2
    assert "test_own.py:5  weight = torch.empty(" in said
    assert "AssertionError: there is one" in said
    assert "the test allocated nothing on a GPU" in said


def test_the_peak_is_what_pytorchs_own_allocator_says(project: Path) -> None:
    code = """
        import torch

        def test_own():
            kept = torch.ones(100 * 2**20, dtype=torch.uint8, device="cuda")
            assert torch.cuda.max_memory_reserved() == 100 * 2**20
    """
    (project / "test_own.py").write_text(dedent(code), encoding="utf-8")
    found = measured(["test_own.py", INSIDE], project, "t4", at_most=2**30)
    assert found == Measured(100 * 2**20, 2**30)

"""The plug-in for readers' own tests: which devices are there when, and what is refused.

What a test takes on a stand-in is looked at in tests/stand_in/test_gpu_memory.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from gpu_guide import ROOT

PLUGIN = "gpu_guide.tool.pytest_plugin"
NEEDS_A_DEVICE = """
    import pytest, torch

    HAS = torch.cuda.is_available()

    @pytest.mark.skipif(not HAS, reason="no GPU")
    def test_where_a_tensor_is():
        assert torch.ones(2, device="cuda:1").device.index == 1
"""


def says(folder: Path, code: str, *arguments: str) -> tuple[int, str]:
    """What pytest says of a project's tests, with the plug-in alone."""
    (folder / "test_own.py").write_text(dedent(code), encoding="utf-8")
    given = {"PYTHONPATH": str(ROOT), "PYTEST_PLUGINS": PLUGIN, "COLUMNS": "200"}
    given |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | given, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_devices_are_there_before_tests_are_imported(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import torch\nassert torch.cuda.device_count() == 3\n", encoding="utf-8"
    )
    status, said = says(tmp_path, NEEDS_A_DEVICE, "--simulate-gpus", "3")
    assert status == 0 and "1 passed" in said


def test_without_the_option_nothing_changes(tmp_path):
    status, said = says(tmp_path, NEEDS_A_DEVICE)
    assert status == 0 and "no GPU" in said and "real GPU" not in said


def test_a_mark_is_for_one_test_and_its_fixtures(tmp_path):
    code = """
        import pytest, torch

        @pytest.fixture
        def x():
            yield torch.ones(2, device="cuda:1")
            assert torch.cuda.device_count() == 2

        @pytest.mark.simulate_gpus(2)
        def test_with(x):
            assert x.device.index == 1

        @pytest.mark.simulate_gpus(count=4)
        def test_with_four():
            assert torch.cuda.device_count() == 4

        def test_without():
            assert torch.cuda.device_count() != 2

        @pytest.mark.simulate_gpus
        def test_of_two():
            assert torch.cuda.device_count() == 2
    """
    status, said = says(tmp_path, code, "--strict-markers")
    assert status == 0 and "4 passed" in said


def test_what_is_refused_is_skipped_and_listed(tmp_path):
    code = """
        import torch

        def test_time():
            torch.cuda.Event(enable_timing=True)

        def test_mixed():
            torch.ones(2, device="cuda") + torch.ones(2)
    """
    status, said = says(tmp_path, code, "--simulate-gpus", "1")
    assert status == 1 and "1 failed, 1 skipped" in said
    assert "Expected all tensors to be on the same device" in said
    assert "test_own.py::test_time: torch.cuda.Event is not simulated: it needs a real GPU" in said


def test_a_file_that_cannot_be_imported_is_skipped_and_the_others_run(tmp_path):
    (tmp_path / "test_file.py").write_text("import torch\ntorch.cuda.Stream()\n", encoding="utf-8")
    status, said = says(tmp_path, NEEDS_A_DEVICE, "--simulate-gpus", "2")
    assert status == 0 and "1 passed, 1 skipped" in said
    assert "test_file.py: torch.cuda.Stream is not simulated: it needs a real GPU" in said


def test_several_processes_simulate_all_and_list_what_is_refused(tmp_path):
    code = (
        NEEDS_A_DEVICE
        + """
    def test_time():
        torch.cuda.Event(enable_timing=True)
"""
    )
    status, said = says(tmp_path, code, "--simulate-gpus", "2", "-p", "xdist", "-n", "2")
    assert status == 0 and "1 passed, 1 skipped" in said
    assert "test_own.py::test_time: torch.cuda.Event is not simulated: it needs a real GPU" in said


@pytest.mark.parametrize("count", ["0", "many"])
def test_devices_that_cannot_be_are_refused(tmp_path, count):
    status, said = says(tmp_path, NEEDS_A_DEVICE, "--simulate-gpus", count)
    assert status == pytest.ExitCode.USAGE_ERROR and "--simulate-gpus" in said


def test_a_hard_index_shows_where_another_device_is_current(tmp_path):
    code = """
        import torch

        def test_layer():
            weight = torch.ones(2, device="cuda:0")
            assert (weight * torch.ones(2).cuda()).sum() == 2
    """
    status, said = says(tmp_path, code, "--simulate-gpus", "2")
    assert status == 0 and "1 passed" in said
    status, said = says(tmp_path, code, "--simulate-gpus", "2", "--simulate-current", "1")
    assert status == 1 and "Expected all tensors to be on the same device" in said


@pytest.mark.parametrize("given", [["2", "2"], ["2", "-1"], ["2", "x"], [None, "1"]])
def test_a_current_device_that_is_not_there_is_refused(tmp_path, given):
    count = [] if given[0] is None else ["--simulate-gpus", given[0]]
    status, said = says(tmp_path, NEEDS_A_DEVICE, *count, f"--simulate-current={given[1]}")
    assert status == pytest.ExitCode.USAGE_ERROR and "--simulate-current" in said


def test_a_mark_against_the_option_fails(tmp_path):
    code = """
        import pytest

        @pytest.mark.simulate_gpus(4)
        def test_four():
            pass
    """
    status, said = says(tmp_path, code, "--simulate-gpus", "2")
    assert status == 1 and "--simulate-gpus 2 is on, and this test asks for 4" in said


MEASURED = """
    import pytest

    @pytest.fixture
    def large():
        raise AssertionError("made in the wrong process")

    @pytest.mark.gpu_memory(card="t4", at_most="12 GiB")
    def test_step(large):
        raise AssertionError("ran in the wrong process")
"""


def test_where_no_stand_in_can_be_a_test_of_memory_is_skipped_or_fails(tmp_path):
    """Here torch is built without CUDA; on Windows and macOS there is no stand-in at all."""
    status, said = says(tmp_path, MEASURED)
    assert status == 0 and "1 skipped" in said and "wrong process" not in said
    assert "stand-in" in said or "without CUDA" in said
    status, said = says(tmp_path, MEASURED, "--require-gpu-memory")
    assert status == 1 and "--require-gpu-memory: " in said


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ('"t44"', "no card 't44'"),
        ('"t4", at_most="12 GB"', "write '12 GiB'"),
        ('"t4", most="12 GiB"', "unexpected keyword"),
        ("", "missing 1 required"),
    ],
)
def test_a_mark_that_cannot_be_fails_everywhere(tmp_path, mark, told):
    code = MEASURED.replace('card="t4", at_most="12 GiB"', mark)
    status, said = says(tmp_path, code)
    assert status == 1 and told in said

"""What lies in this folder runs on a stand-in GPU: `make stand-in` starts it there."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from stand_in_calls import DryRun, Run

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.command import dry_run, found_by, status_of
from gpu_guide.dry_run.report import as_json as for_programs
from gpu_guide.dry_run.run import Settings
from gpu_guide.dry_run.words import Words
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import CudaEnvironment, find
from gpu_guide.stand_in.machine import MARK, StandIn
from gpu_guide.stand_in.process import variables

_FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and skip them where there is no stand-in."""
    for item in items:
        if not item.path.is_relative_to(_FOLDER):
            continue
        item.add_marker(pytest.mark.stand_in)
        if MARK not in os.environ:
            item.add_marker(pytest.mark.skip(reason="not on a stand-in GPU: see `make stand-in`"))


@pytest.fixture(scope="session")
def environment() -> CudaEnvironment:
    """The environment that these tests run in."""
    found = find(version("torch").partition("+")[0])
    assert found is not None
    return found


@pytest.fixture
def run_on(environment: CudaEnvironment) -> Run:
    """`run_on(code, count=2, fault="malloc=2@3", CUDA_VISIBLE_DEVICES="1")`: a Python on such a
    machine runs the code, without values; a card of 4 GiB where nothing else is said."""

    def run(code: str, **machine: object) -> subprocess.CompletedProcess[str]:
        settings = {name: str(machine.pop(name)) for name in list(machine) if name.isupper()}
        card = {"name": "test card", "memory_mib": 4096, "capability": "8.9", "multiprocessors": 24}
        one = StandIn(card="test", settings=settings, **(card | machine))
        made = variables(environment, one)
        command = [str(environment.python), "-c", code]
        return subprocess.run(command, env=made, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def dry(environment: CudaEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DryRun:
    """`dry(code, "--batch", "8", card="t4")`: the exit status and the report for programs."""
    monkeypatch.chdir(tmp_path)

    def run(
        code: str,
        *arguments: str,
        card: str = "rtx-4060",
        launcher: tuple[str, ...] = ("python",),
        settings: Settings | None = None,
        as_json: bool = True,
        language: str = "en",
        **more: Any,
    ) -> tuple[int, dict[str, Any]]:
        (tmp_path / "train.py").write_text(dedent(code), encoding="utf-8")
        command = [*launcher, "train.py", *arguments]
        where = (HERE, environment, chosen(card, HERE), command, settings or Settings())
        if not as_json:
            said: list[str] = []
            status = dry_run(*where, language=language, tell=said.append, **more)
            return status, {"text": said[0]}
        found, cards = found_by(*where, say=Words(language), **more)
        return status_of(found), for_programs(found, cards)

    return run


@pytest.fixture
def empty_allocator() -> Iterator[None]:
    """Nothing of another test lies in the cache or in the statistics."""
    import torch

    yield
    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch._C._host_emptyCache()
    for device in range(torch.cuda.device_count()):
        with torch.cuda.device(device):
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            torch.cuda.reset_accumulated_memory_stats()
    torch.cuda.reset_peak_host_memory_stats()
    torch.cuda.reset_accumulated_host_memory_stats()

"""multi_gpu/resume_after_restart leaves one copy of the training state on the GPU, not two."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist

from gpu_guide.project import HERE
from gpu_guide.simulate import SimulatedCuda

STEPS = 10
"""After so many it saves."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, Any]]:
    """Runs the snippet as the only process, on a simulated GPU. Its checkpoint stays."""
    path = HERE.snippets / "multi_gpu" / "resume_after_restart.py"
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_RANK", "0")
    monkeypatch.setattr(sys, "argv", [str(path), str(STEPS)])
    monkeypatch.setattr(os, "remove", lambda path: None)

    def run() -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": "__main__"}
        with monkeypatch.context() as patch:
            patch.setattr(dist, "init_process_group", lambda *args, **options: None)
            patch.setattr(dist, "destroy_process_group", lambda: None)
            patch.setattr(dist, "get_rank", lambda: 0)
            patch.setattr(torch.nn.parallel, "DistributedDataParallel", lambda module: module)
            exec(code, space)
        return space

    return run


def on_the_gpu() -> int:
    """Bytes of all tensors there, each storage counted once."""
    gc.collect()
    tensors = [o for o in gc.get_objects() if type(o) in (torch.Tensor, torch.nn.Parameter)]
    there = [t.untyped_storage() for t in tensors if t.device.type == "cuda"]
    return sum({storage.data_ptr(): storage.nbytes() for storage in there}.values())


@pytest.mark.slow
def test_what_was_read_does_not_stay_on_the_gpu(run, capsys) -> None:
    with SimulatedCuda(1):
        before = on_the_gpu()
        run()
        assert Path("checkpoint.pt").exists() and on_the_gpu() == before
        space = run()
        assert f"begins at step {STEPS}" in capsys.readouterr().out
        weights = sum(p.nbytes for p in space["net"].parameters())
        assert on_the_gpu() - before == 3 * weights, "weights, and Adam's two moments"

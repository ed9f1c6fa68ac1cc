"""Preparing a machine: the cores that this process may use, and fair copies."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_guide.problems import shown
from gpu_guide.project import HERE

FOLDER = HERE.snippets / "multi_gpu"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_the_checklist_counts_the_cores_that_the_process_may_use() -> None:
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("one core: nothing to take away")
    code = (
        f"import os, runpy; os.sched_setaffinity(0, {{{min(allowed)}}}); "
        f"runpy.run_path({str(FOLDER / 'checklist.py')!r})"
    )
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert "CPU cores per GPU: 1\n" in run.stdout, run.stdout + run.stderr


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_copy_through_the_host_that_is_timed_takes_pinned_memory(path: Path) -> None:
    """`x.cpu().to("cuda:1")` times pageable memory, and makes P2P look better than it is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if "perf_counter" not in {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}:
        return
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Attribute) and node.attr in ("to", "cuda")):
            continue
        inner = node.value.func if isinstance(node.value, ast.Call) else None
        assert not (isinstance(inner, ast.Attribute) and inner.attr == "cpu"), (
            f"{shown(path)}:{node.lineno}: a timed copy through pageable memory — "
            "copy into a tensor with pin_memory=True"
        )

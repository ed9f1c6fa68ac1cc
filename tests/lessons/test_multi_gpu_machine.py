"""Preparing a machine: the cores that this process may use, and fair copies."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

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


def test_a_copy_through_the_host_that_is_timed_takes_pinned_memory() -> None:
    """`x.cpu().to("cuda:1")` times pageable memory, and makes P2P look better than it is."""
    for path in sorted(FOLDER.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Attribute)]
        if "perf_counter" not in {node.attr for node in nodes}:
            continue
        for node in (node for node in nodes if node.attr in ("to", "cuda")):
            inner = node.value.func if isinstance(node.value, ast.Call) else None
            assert not (isinstance(inner, ast.Attribute) and inner.attr == "cpu"), (
                f"{shown(path)}:{node.lineno}: a timed copy through pageable memory — "
                "copy into a tensor with pin_memory=True"
            )

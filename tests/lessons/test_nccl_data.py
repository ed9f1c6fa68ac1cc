"""What the guide says of PyTorch's NCCL backends, against the torch that is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from rendering import rendered

from gpu_guide import ROOT
from gpu_guide.data.nccl import load_backends
from gpu_guide.pages.chinese import check_yaml
from gpu_guide.project import HERE
from gpu_guide.render.nccl_table import backends
from gpu_guide.render.words import Words

SINCE = tuple(map(int, load_backends(HERE).since.split(".")))
IS_NEW = tuple(map(int, torch.__version__.split(".")[:2])) >= SINCE
TORCH = Path(torch.__file__).parent
HEADERS = TORCH / "include/torch/csrc/distributed/c10d"


def test_the_new_backend_is_in_the_releases_that_the_data_name() -> None:
    source = (TORCH / "distributed/distributed_c10d.py").read_text(encoding="utf-8")
    for name in ("TORCH_DIST_USE_NCCL2", "nccl-legacy", "ProcessGroupNCCL2"):
        assert (name in source) == IS_NEW, (
            f"{HERE.nccl}: torch {torch.__version__} {'lacks' if IS_NEW else 'has'} {name}: "
            "correct `since`, or the differences"
        )


def test_the_variables_that_differ_are_those_of_the_releases() -> None:
    source = (HEADERS / "FlightRecorder.hpp").read_text(encoding="utf-8")
    assert ("TORCH_FR_DUMP_ON_TIMEOUT" in source) == IS_NEW


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_variable_of_the_page_is_one_that_torch_reads(lang: str) -> None:
    """Whatever differs between releases belongs into the data, not into this table."""
    page = (ROOT / "docs" / lang / "multi-gpu/nccl.md").read_text(encoding="utf-8")
    table = page[page.index("{ #variables }") : page.index("{ #other-backend }")]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"\bTORCH_[A-Z_]+", row)}
    assert len(names) > 5
    known = "".join(p.read_text(encoding="utf-8") for p in HEADERS.glob("**/*.h*"))
    known += (TORCH / "distributed/distributed_c10d.py").read_text(encoding="utf-8")
    # Read in C++ alone: libtorch has no header for it.
    names.discard("TORCH_FR_DUMP_TEMP_FILE")
    names.discard("TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
    assert not {name for name in names if name not in known}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_table_is_on_the_page(lang: str) -> None:
    html = rendered("```table\nnccl/backends\n```", lang)
    data = load_backends(HERE)
    assert html.count("<tr>") == len(data.differences) + 1
    assert data.since in html and data.source in html and "`" not in html
    say = Words(lang)
    assert backends(data, say).html(say) in html


def test_the_chinese_is_good() -> None:
    assert not check_yaml(HERE.nccl.read_text(encoding="utf-8"))

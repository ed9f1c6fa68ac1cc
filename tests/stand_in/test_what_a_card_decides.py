"""What depends on the card is run on each card of data/cards.yml: it holds what the pages say.

The tier runs all snippets on one card. Those whose code asks for something that the card decides
(its capability, its memory, what bfloat16 is there) run here on all the others, too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
import torch

from gpu_guide.data.cards import load_cards
from gpu_guide.project import HERE
from gpu_guide.run.stand_in_limits import NOT_RUN
from gpu_guide.snippets.model import Snippet, load_snippets
from gpu_guide.stand_in.machine import MARK, StandIn

CARDS = load_cards(HERE)
DECIDED = re.compile(
    r"get_device_capability|get_arch_list|multi_processor_count|workspace"
    r"|bfloat16|float16|tf32|total_memory|mem_get_info|set_per_process_memory_fraction"
    r"|OutOfMemoryError|2\*\*30|GiB"
)
RUN = """
import contextlib, io, json, runpy, sys
said = []
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(path, run_name="__main__")
    said.append(out.getvalue().splitlines())
print(json.dumps(said))
"""
RUNS_HERE = {
    "t4": ["sm_75"],
    "rtx-4060": ["sm_80", "sm_86"],
    "a100": ["sm_80"],
    "h100": ["sm_90"],
    "rtx-5090": ["sm_120"],
}


def on(id: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of this Python on two of the cards that are called `id`."""
    made = os.environ | StandIn.of(CARDS[id], count=2).environment()
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=made, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("id", CARDS)
def test_code_bfloat16_and_workspace(id: str) -> None:
    """check/index#built-for, speed/precision and memory/measure#workspace."""
    names = ("memory/matmul_workspace", "check/built_for_this_gpu", "speed/choose_dtype")
    paths = [str(HERE.snippets / f"{name}.py") for name in names]
    done = on(id, "-c", RUN, *paths)
    assert done.returncode == 0, done.stderr
    workspace, built, dtype = json.loads(done.stdout)
    number = "".join(CARDS[id].capability.split("."))
    assert built[0] == f"this GPU: sm_{number}" and built[-1] == "True"
    runs = built[2].removeprefix("runs here: ").split(", ")
    assert [arch for arch in runs if arch.startswith("sm_")] == RUNS_HERE[id]
    # Native from compute capability 8.0 on; a T4 only stores it.
    assert dtype[-1].split()[0] == ("torch.float16" if id == "t4" else "torch.bfloat16")
    first = re.search(r"first +product: (\S+) MiB, (\S+) MiB", workspace[1])
    mib, kept = map(float, first.groups())
    assert mib == 32 if float(CARDS[id].capability) >= 9 else 8 <= mib < 9
    since_2_15 = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 15)
    assert kept == (0 if since_2_15 else mib)


def decided_by_the_card() -> list[Snippet]:
    found = [one for one in load_snippets(HERE).values() if one.needs.kind == "cuda"]
    return [one for one in found if DECIDED.search(one.source) and one.name not in NOT_RUN]


def test_enough_depends_on_the_card() -> None:
    assert len(decided_by_the_card()) >= 15


@pytest.mark.parametrize("id", [id for id in CARDS if id != os.environ.get(MARK)])
def test_the_snippets_that_a_card_decides_hold_on_it(id: str) -> None:
    paths = [str(snippet.path) for snippet in decided_by_the_card()]
    done = on(id, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths)
    assert done.returncode == 0, done.stdout[-8000:]

"""The model of the caching allocator: its traces, the page's tables, and the GPU's snippets."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from allocator_expandable import ExpandableAllocator
from allocator_model import MIB, Allocator, ProgramError
from allocator_player import UNITS, play
from allocator_programs import random_program
from allocator_traces import TRACES, as_step

from gpu_guide import ROOT
from gpu_guide.run.machine import Environment

PAGES = [ROOT / "docs" / language / "memory/caching-allocator.md" for language in ("zh", "en")]
SNIPPETS = ROOT / "snippets/memory"


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace["name"])
def test_trace(trace: dict) -> None:
    program = "\n".join(step["do"] for step in trace["steps"])
    assert [as_step(state) for state in play(program)] == trace["steps"]


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("a = 3", "not understood: 'a = 3'"),
        ("del a", "there is no a"),
        ("a = 512 B\ndel a\ndel a", "there is no a"),
        ("a = 0 MiB", "0 MiB"),
        ("a = 0.3 B", "0.3 B"),
        ("empty_cache", "not understood"),
        ("a.record_stream(1)", "there is no a"),
        ("a = 1 B\nexpandable_segments:True", "is not the first line"),
    ],
)
def test_a_wrong_statement_is_refused(program: str, problem: str) -> None:
    with pytest.raises(ProgramError, match=problem):
        play(program)


@pytest.mark.parametrize("expandable", [False, True], ids=["default", "expandable"])
@pytest.mark.parametrize("seed", range(20))
def test_what_always_holds(seed: int, expandable: bool) -> None:
    for state in play(random_program(seed, expandable=expandable)):
        blocks = [block for segment in state.segments for block in segment]
        assert state.requested <= state.allocated <= state.reserved
        assert state.allocated == sum(size for owner, size in blocks if owner)
        for segment in state.segments:
            assert sum(size for _, size in segment) % (2 * MIB) == 0
            assert all(size % 512 == 0 for _, size in segment)
            owners = [owner for owner, _ in segment]
            assert (None, None) not in pairwise(owners), "not merged"


def tables(page: Path) -> list[list[list[str]]]:
    """The tables of the page's animation, by rows and cells."""
    text = page.read_text(encoding="utf-8")
    box = re.search(r'<div class="allocator" markdown>\n(.*?)\n</div>', text, re.DOTALL)
    assert box, f"{page}: no animation"
    rows = [[]]
    for line in box[1].splitlines():
        if line.startswith("|"):
            rows[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows[-1]:
            rows.append([])
    return [table[2:] for table in rows if table]


def in_bytes(text: str) -> int:
    count, unit = text.split()
    return round(float(count) * UNITS[unit])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parts[-3])
def test_tables_of_the_page_say_what_the_model_says(page: Path) -> None:
    found = tables(page)
    assert len(found) >= 4
    for table in found:
        states = play("\n".join(row[0].strip("`") for row in table))
        shown = [(in_bytes(row[1]), in_bytes(row[2])) for row in table]
        assert shown == [(state.allocated, state.reserved) for state in states]


def test_both_languages_play_the_same_scenes() -> None:
    zh, en = ([[row[:3] for row in table] for table in tables(page)] for page in PAGES)
    assert zh == en


@pytest.mark.parametrize("language", ["zh", "en"])
def test_table_of_orders_says_what_the_model_says(language: str) -> None:
    page = ROOT / "docs" / language / "memory/fragmentation.md"
    section = re.search(r"\{ #order \}\n(.*?)\n## ", page.read_text(encoding="utf-8"), re.DOTALL)
    assert section, f"{page}: no section #order"
    rows = re.findall(r"^\| (\d.*) \| (.*) \|$", section[1], re.MULTILINE)
    assert len(rows) == 4
    for requests, shown in rows:
        allocator, alive = Allocator(), 0
        for count, size in re.findall(r"(\d+) × (\d+ \w+)", requests):
            while alive:
                allocator.free(f"tensor {alive}")
                alive -= 1
            for alive in range(1, int(count) + 1):
                allocator.allocate(f"tensor {alive}", in_bytes(size))
        assert allocator.reserved == in_bytes(shown), f"{page}: {requests}"


class FakeTensor:
    """Memory of the model, which is freed when Python frees the object."""

    def __init__(self, allocator: Allocator, size: int, stream: int) -> None:
        self.nbytes, self._allocator, self._owner = size, allocator, f"tensor {id(self)}"
        assert "failed" not in allocator.allocate(self._owner, size, stream)

    def data_ptr(self) -> int:
        """Its address."""
        for segment in self._allocator.segments:
            for index, block in enumerate(segment.blocks):
                if block.owner == self._owner:
                    return segment.address_of(index)
        raise AssertionError("freed")

    def __del__(self) -> None:
        self._allocator.free(self._owner)


def fake_torch(model: type[Allocator] = Allocator) -> types.ModuleType:
    """A `torch` with as much as the allocator's snippets use, on top of the model."""
    allocator, current = model(), [0]
    numbers: dict[object, int] = {}
    asked, peak = [0], [0]

    def empty(size: int, *, dtype: str, device: str) -> FakeTensor:
        before = len(allocator.segments)
        tensor = FakeTensor(allocator, size, current[-1])
        asked[0] += len(allocator.segments) - before
        peak[0] = max(peak[0], allocator.allocated)
        return tensor

    @contextmanager
    def stream(one: object) -> Iterator[None]:
        current.append(numbers.setdefault(one, len(numbers) + 1))
        yield
        current.pop()

    def memory_stats() -> dict[str, int]:
        pools = [segment.small for segment in allocator.segments]
        return {
            "requested_bytes.all.current": allocator.requested,
            "segment.small_pool.current": sum(pools),
            "segment.large_pool.current": len(pools) - sum(pools),
            "segment.all.allocated": asked[0],
        }

    def memory_snapshot() -> list[dict[str, object]]:
        return [
            {"stream": segment.stream, "segment_type": "small" if segment.small else "large"}
            for segment in allocator.segments
        ]

    torch = types.ModuleType("torch")
    torch.empty, torch.uint8, torch.cuda = empty, "uint8", types.ModuleType("torch.cuda")
    torch.cuda.memory_allocated = lambda: allocator.allocated
    torch.cuda.memory_reserved = lambda: allocator.reserved
    torch.cuda.memory_stats, torch.cuda.empty_cache = memory_stats, allocator.empty_cache
    torch.cuda.memory_snapshot = memory_snapshot
    torch.cuda.reset_accumulated_memory_stats = lambda: asked.__setitem__(0, 0)
    torch.cuda.max_memory_allocated = lambda: peak[0]
    torch.cuda.reset_peak_memory_stats = lambda: peak.__setitem__(0, allocator.allocated)
    torch.cuda.Stream, torch.cuda.stream = object, stream
    return torch


@pytest.mark.parametrize(
    "name",
    [
        "rounded_to_512",
        "small_pool",
        "medium_requests",
        "large_requests",
        "what_is_split",
        "freed_blocks_merge",
        "what_empty_cache_returns",
        "streams_do_not_share",
        "asks_the_driver_again",
        "assignment_holds_both",
        "played_on_a_gpu",
        "order_of_requests",
    ],
)
def test_the_gpu_snippets_claim_what_the_model_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no GPU can be asked, at least no snippet contradicts the model."""
    play_snippet(name, fake_torch(), monkeypatch)


def test_the_snippet_of_expandable_segments_claims_what_the_model_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play_snippet("expandable_segments", fake_torch(ExpandableAllocator), monkeypatch)


def play_snippet(name: str, torch: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a snippet of memory on a fake torch; the settings that it makes end with the test."""
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    source = (SNIPPETS / f"{name}.py").read_text(encoding="utf-8")
    exec(compile(source, name, "exec"), {"__name__": "__main__"})


def test_expandable_segments_as_published() -> None:
    """Figures of PyTorch's DevLog of 2026-06-01 on fragmentation, which are none of ours."""
    allocator = ExpandableAllocator()
    reserved = []
    for number in range(8):
        allocator.allocate(f"small {number}", 16 * MIB)
        reserved.append(allocator.reserved // MIB)
    assert reserved == [20, 40, 60, 80, 80, 100, 120, 140]
    for number in range(8):
        allocator.free(f"small {number}")
    for number in range(4):
        allocator.allocate(f"large {number}", 32 * MIB)
    assert allocator.reserved == 140 * MIB

    allocator = ExpandableAllocator()
    allocator.allocate("large", 2 * MIB)
    allocator.free("large")
    allocator.allocate("small", MIB // 2)
    assert allocator.reserved == 22 * MIB


def test_steps_of_the_gpu_snippet_are_the_models() -> None:
    source = ast.parse((SNIPPETS / "played_on_a_gpu.py").read_text(encoding="utf-8"))
    values = {
        node.targets[0].id: node.value
        for node in source.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    steps = ast.literal_eval(values["STEPS"])
    program = [f"{name} = {size} MiB" if size else f"del {name}" for name, size, _, _ in steps]
    states = play("\n".join(program))
    assert [(s.allocated / MIB, s.reserved / MIB) for s in states] == [step[2:] for step in steps]


REPLAY = """
import json, sys, torch
def number(size):
    count, unit = size.split()
    return round(float(count) * {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit])
def play(trace):
    tensors = {}
    for step in trace["steps"]:
        name, _, size = step["do"].partition(" = ")
        if name == "limit":
            total = torch.cuda.mem_get_info()[1]
            fraction = (number(size) + 2**20) / total
            torch.cuda.set_per_process_memory_fraction(fraction)
        elif size:
            try:
                tensors[name] = torch.empty(number(size), dtype=torch.uint8, device="cuda")
            except torch.OutOfMemoryError:
                assert "failed" in step["events"], step
        elif name == "empty_cache()":
            torch.cuda.empty_cache()
        else:
            del tensors[name.removeprefix("del ")]
        stats = torch.cuda.memory_stats()
        for key in "allocated", "reserved", "requested":
            assert stats.get(f"{key}_bytes.all.current", 0) == step[key], (key, stats, step)
        found = sorted(
            [[block["state"] == "active_allocated", block["size"]] for block in segment["blocks"]]
            for segment in torch.cuda.memory_snapshot()
        )
        wanted = sorted([[bool(n), size] for n, size in blocks] for blocks in step["segments"])
        assert found == wanted, (found, step)
play(json.load(sys.stdin))
"""


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace["name"])
def test_trace_on_a_gpu(trace: dict, here: Environment) -> None:
    """Both numbers and the snapshot of PyTorch's own allocator, after every step."""
    if not here.gpus:
        pytest.skip("no GPU")
    command = [sys.executable, "-c", REPLAY]
    subprocess.run(command, input=json.dumps(trace), text=True, check=True, timeout=120)

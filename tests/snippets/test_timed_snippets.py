"""Snippets that only a GPU can time, run on the CPU, so that a GPU is not the first to run them.

Numbers above 8 become 8, what they assert about times is left out, and CUDA's clock, streams and
graphs are pretended. What they print has to be what their plots read.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest
import torch

from gpu_guide.data.plots import Plot, load_plots
from gpu_guide.project import HERE

TIMED = {
    "speed/crossover": 9,
    "speed/item-every-step": 3,
    "speed/launch-costs": 3,
    "speed/products-by-size": 7,
    "speed/small-model": 4,
    "to/bandwidth": 9,
    "to/bandwidth-back": 9,
}
"""Plots of such snippets, and how many points each has."""

_ticks = itertools.count()


class OnTheCpu(ast.NodeTransformer):
    """The code with small numbers, for the CPU, and without assertions."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if node.value == "cuda":
            return ast.Constant("cpu")
        if isinstance(node.value, int) and node.value > 8:
            return ast.Constant(8)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        node.values = [self.visit(value) for value in node.values]
        return node  # its keys tell the points apart

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in ("cuda", "pin_memory") and not node.args:
            return node.func.value
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        short = ast.keyword("min_run_time", ast.Constant(0.001))
        return short if node.arg == "min_run_time" else self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.Pass:
        return ast.Pass()


class Event:
    """An event that knows only how many came before it; no two times are the same."""

    def __init__(self, enable_timing: bool) -> None:
        assert enable_timing

    def record(self) -> None:
        self.at = next(_ticks)

    def synchronize(self) -> None:
        assert self.at >= 0

    def query(self) -> bool:
        return self.at < 0  # never done: the queue is full

    def elapsed_time(self, end: Event) -> float:
        assert end.at > self.at
        return float(next(_ticks))


class Stream:
    def wait_stream(self, other: Stream) -> None:
        assert other is not self


class Graph:
    recorded = replayed = False

    def __init__(self, made: list[Graph]) -> None:
        made.append(self)

    def replay(self) -> None:
        assert self.recorded
        self.replayed = True


@contextmanager
def recording(graph: Graph) -> Iterator[None]:
    yield
    graph.recorded = True


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    main, graphs = Stream(), []
    precision = torch.backends.cuda.matmul.fp32_precision
    for name, value in {
        "Event": Event,
        "Stream": Stream,
        "CUDAGraph": lambda: Graph(graphs),
        "graph": recording,
        "stream": lambda stream: nullcontext(),
        "current_stream": lambda: main,
        "synchronize": lambda: None,
    }.items():
        monkeypatch.setattr(torch.cuda, name, value)
    monkeypatch.setattr(torch, "compile", lambda model: model)
    yield
    torch.backends.cuda.matmul.fp32_precision = precision
    assert all(graph.replayed for graph in graphs)


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize("plot", [load_plots(HERE)[name] for name in TIMED], ids=TIMED)
def test_a_timed_snippet_prints_the_points_of_its_plot(plot: Plot, capsys) -> None:
    path = HERE.snippets / f"{plot.snippet}.py"
    tree = OnTheCpu().visit(ast.parse(path.read_text(encoding="utf-8")))
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out.splitlines()
    found = [match for line in printed if (match := plot.line.fullmatch(line)) and match["x"]]
    assert len(found) == TIMED[plot.name], printed
    for match in found:
        for one in plot.series:
            low, middle, high = (float(match[one.key + end]) for end in ("_low", "", "_high"))
            assert 0 < low <= middle <= high, match.string

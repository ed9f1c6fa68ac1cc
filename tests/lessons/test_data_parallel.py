"""Snippets that wrap a model in DataParallel and need no GPU run where there is one, too.

`nn.DataParallel` takes the GPUs that it sees: with exactly one, its constructor moves the model
there and each call moves the inputs. Simulated devices refuse it, so that is pretended here.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any

import pytest
import torch

from gpu_guide.project import HERE
from gpu_guide.simulate import SimulatedCuda
from gpu_guide.snippets.model import Snippet, parse, well_formed_snippets

UNBOUND = [
    snippet
    for snippet in well_formed_snippets(HERE)
    if snippet.needs.kind == "any" and "nn.DataParallel(" in snippet.source
]


class OnTheOnlyGpu(torch.nn.Module):
    """What DataParallel does with one GPU, and without any if the code has hidden that."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        hidden = os.environ.get("CUDA_VISIBLE_DEVICES") == "-1"
        self.device_ids = [] if hidden else [0]
        self.module = module if hidden else module.to("cuda:0")

    def forward(self, *inputs: torch.Tensor) -> Any:
        if self.device_ids:
            inputs = tuple(x.to("cuda:0") for x in inputs)
        return self.module(*inputs)


def test_there_are_some() -> None:
    assert UNBOUND


@pytest.mark.parametrize("snippet", UNBOUND, ids=lambda snippet: snippet.name)
def test_it_runs_with_one_gpu_and_prints_the_same(snippet: Snippet, monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")  # and put back, whatever the code sets
    code = compile(snippet.source, str(snippet.path), "exec")
    with SimulatedCuda(1), monkeypatch.context() as patch:
        patch.setattr(torch.nn, "DataParallel", OnTheOnlyGpu)
        exec(code, {"__name__": "__main__"})
    printed = capsys.readouterr().out.splitlines()
    assert printed == [line.strip()[3:] for line in snippet.source.splitlines() if "#> " in line]


def on_two_gpus(order: tuple[int, int]) -> Callable[..., Callable[[torch.Tensor], torch.Tensor]]:
    """DataParallel on two GPUs, whose threads come to `forward` in this order."""

    def wrap(module: torch.nn.Module, device_ids: list[int]) -> Callable[..., torch.Tensor]:
        def call(x: torch.Tensor) -> torch.Tensor:
            outputs: dict[int, torch.Tensor] = {}
            for i in order:
                replica = copy.deepcopy(module).to(f"cuda:{device_ids[i]}")
                outputs[i] = replica(x.chunk(2)[i].to(f"cuda:{device_ids[i]}"))
            return torch.stack([outputs[i].to("cuda:0") for i in (0, 1)])

        return call

    return wrap


def test_what_is_printed_does_not_depend_on_which_thread_is_first(monkeypatch, capsys) -> None:
    snippet = parse(HERE.snippets / "multi_gpu" / "data_parallel.py", HERE)
    printed = []
    for order in ((0, 1), (1, 0)):
        with SimulatedCuda(2), monkeypatch.context() as patch:
            patch.setattr(torch.nn, "DataParallel", on_two_gpus(order))
            exec(compile(snippet.source, str(snippet.path), "exec"), {"__name__": "__main__"})
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] and printed[0].count("\n") == 4

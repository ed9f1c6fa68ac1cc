"""The pipeline schedules of the model are those whose tables PyTorch builds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as dist
from pipeline_model import (
    KINDS,
    Action,
    Pair,
    Pipeline,
    Step,
    idle,
    kept,
    local_stages,
    order,
    parts,
    planned,
)
from torch.distributed import pipelining
from torch.distributed.pipelining.schedules import OVERLAP_F_B
from torch.testing._internal.distributed.fake_pg import FakeStore

from gpu_guide.project import HERE
from gpu_guide.snippets.model import parse


def as_step(one: Any) -> Step:
    """What PyTorch calls an action: a pair has a forward and a backward of its own."""
    if one.sub_actions:
        assert one.computation_type.value == "OVERLAP_F_B"
        return Pair(*map(as_step, one.sub_actions))
    return Action(one.stage_index, one.computation_type.value, one.microbatch_index)


def pytorch_order(kind: str, pipe: Pipeline) -> dict[int, list[Step]] | None:
    """The table that a schedule of PyTorch builds when it is created, without running."""
    stages = [
        SimpleNamespace(
            num_stages=pipe.stages,
            group_size=pipe.ranks,
            group_rank=0,
            submod=None,
            is_first=True,
            is_last=False,
            stage_index=index,
            has_backward=True,
        )
        for index in range(pipe.local)
    ]
    create = getattr(pipelining, f"Schedule{kind}")
    try:
        made = create(stages[0] if kind in ("GPipe", "1F1B") else stages, pipe.microbatches)
    except ValueError:
        return None
    return {
        rank: [
            as_step(one)
            for one in actions
            if one is not None and one.computation_type.value in ("F", "B", "I", "W", "OVERLAP_F_B")
        ]
        for rank, actions in made.pipeline_order.items()
    }


def random_pipeline(rng: random.Random, kind: str) -> Pipeline:
    return Pipeline(rng.randint(2, 8), local_stages(kind, rng.randint(2, 3)), rng.randint(1, 20))


@pytest.mark.parametrize("kind", KINDS)
def test_the_orders_are_those_of_pytorch(kind: str) -> None:
    rng = random.Random(kind)
    refused = 0
    for _ in range(60):
        pipe = random_pipeline(rng, kind)
        mine, theirs = order(kind, pipe), pytorch_order(kind, pipe)
        refused += theirs is None
        if kind == "1F1B" and mine and theirs:
            # torch 2.13 numbers the forwards of the last rank from 1 in this table, which is shown
            # and not run: the run begins with 0, as the snippet of the page shows.
            last = pipe.ranks - 1
            theirs[last] = [
                one._replace(microbatch=one.microbatch - (one.do == "F")) for one in theirs[last]
            ]
        assert mine == theirs, pipe
    some = kind in ("1F1B", "DualPipeV") or kind.startswith("Interleaved")
    assert 0 < refused < 60 if some else refused == 0


def test_the_orders_are_those_that_ran() -> None:
    """What multi_gpu/pipeline_schedules printed of two stages and four microbatches."""
    snippet = parse(HERE.snippets / "multi_gpu" / "pipeline_schedules.py", HERE)
    lines = [line for out in snippet.outputs for line in out.text.splitlines()]
    seen = [line.removeprefix("Schedule").split() for line in lines]
    assert len(seen) == 4
    for kind, rank, text in seen:
        actions = order(kind, Pipeline(2, 1, 4))[int(rank)]
        assert "".join(one.do for one in actions) == text


X = torch.ones(8, 2)
ONE_RANK = Pipeline(1, 2, 4)


@pytest.fixture
def dual() -> Iterator[tuple[pipelining.ScheduleDualPipeV, list[str]]]:
    """DualPipeV with both stages on this one rank, and what it has run since it knows shapes."""
    ran: list[str] = []

    def noted(stage: int) -> torch.nn.Module:
        def note(module: torch.nn.Module, inputs: Any, output: torch.Tensor) -> None:
            ran.append(f"{stage}F")
            if output.requires_grad:  # not while torch 2.11 infers shapes
                output.register_hook(lambda grad: ran.append(f"{stage}B"))

        layer = torch.nn.Linear(2, 2)
        layer.register_forward_hook(note)
        return layer

    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=1)
    try:
        cpu = torch.device("cpu")
        stages = [pipelining.PipelineStage(noted(index), index, 2, cpu) for index in range(2)]
        schedule = pipelining.ScheduleDualPipeV(stages, 4, loss_fn=torch.nn.functional.mse_loss)
        schedule.step(X, target=X)  # runs once more to infer shapes
        ran.clear()
        yield schedule, ran
    finally:
        dist.destroy_process_group()


def as_ran(steps: list[Step]) -> list[str]:
    """One action after the other; the hooks see a backward when the input has its gradient."""
    actions = [one for step in steps for one in parts(step) if one.do != "W"]
    return [f"{one.stage}{one.do}".replace("I", "B") for one in actions]


def test_pytorch_runs_the_two_of_a_pair_one_after_the_other(
    dual: tuple[pipelining.ScheduleDualPipeV, list[str]],
) -> None:
    schedule, ran = dual
    schedule.step(X, target=X)
    steps = order("DualPipeV", ONE_RANK)[0]
    assert any(isinstance(step, Pair) for step in steps)
    assert ran == as_ran(steps)


def test_pytorch_leaves_a_pair_to_the_function_that_is_registered(
    dual: tuple[pipelining.ScheduleDualPipeV, list[str]],
) -> None:
    class Registered(Exception):
        pass

    def stop(action: Any, context: Any) -> None:
        raise Registered(as_step(action))

    schedule, ran = dual
    steps = order("DualPipeV", ONE_RANK)[0]
    first = next(place for place, step in enumerate(steps) if isinstance(step, Pair))
    schedule.register_custom_function(OVERLAP_F_B, stop)
    with pytest.raises(Registered) as stopped:
        schedule.step(X, target=X)
    assert stopped.value.args == (steps[first],)
    assert ran == as_ran(steps[:first])


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_page_says_of_waiting_and_keeping(kind: str) -> None:
    rng = random.Random(2)
    for _ in range(12):
        ranks, local = rng.randint(2, 5), local_stages(kind, rng.randint(2, 3))
        pipe = Pipeline(ranks, local, ranks * rng.randint(2 if kind == "DualPipeV" else 1, 3))
        orders = order(kind, pipe)
        end, share = idle(planned(orders, pipe.stages), ranks)
        formula = (ranks - 1) / (pipe.microbatches + ranks - 1)
        if local == 1:
            assert share == pytest.approx(formula)
        else:
            assert share < formula
        if kind in ("GPipe", "LoopedBFS"):
            assert kept(orders, local) == [pipe.microbatches] * ranks
        if kind == "1F1B":
            assert kept(orders, local) == [ranks - rank for rank in range(ranks)]
        if kind == "DualPipeV":
            # As DeepSeek's README for DualPipe has it, for its two directions: a forward and a
            # backward at once (3) and a backward (2), less three times the weights' half (1).
            assert end - 6 * pipe.microbatches == (ranks - 1) * (3 + 2 - 3)
            assert kept(orders, local) == [(2 * ranks + 1) / 2] * ranks

"""Simulated CUDA devices: functions of functions, and code that is compiled.

The gaps were found when other projects' tests ran on simulated devices.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

import pytest
import torch
from simulated_places import MISMATCH, places
from torch import func, nn

from gpu_guide.simulate import NotSimulated

pytestmark = pytest.mark.usefixtures("cuda")


@pytest.mark.parametrize(
    "move",
    [
        lambda module: module.to(device="cuda:1"),
        lambda module: module.to(device=1),
        lambda module: module.to(device=torch.device("cuda", 1), dtype=torch.float32),
        lambda module: module.to(torch.ones(1, device="cuda:1")),
        lambda module: module.to(tensor=torch.ones(1, device="cuda:1")),
    ],
)
def test_a_module_goes_where_a_keyword_or_a_tensor_says(move: Callable) -> None:
    assert places(move(nn.Linear(1, 1)).weight) == "cuda:1"


TRANSFORMED = {
    "vmap": lambda x, f: torch.vmap(f)(x),
    "grad": lambda x, f: func.grad(lambda row: f(row).sum())(x[0]),
    "vjp": lambda x, f: func.vjp(f, x)[1](torch.ones_like(x))[0],
    "jvp": lambda x, f: func.jvp(f, (x,), (torch.ones_like(x),))[1],
    "jacrev": lambda x, f: func.jacrev(f)(x),
    "hessian": lambda x, f: func.hessian(lambda row: f(row).sum())(x[0]),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_transformed_function_works_where_its_tensors_are(name: str) -> None:
    x = torch.ones(3, 2, device="cuda:1")
    seen = []

    def right(row: torch.Tensor) -> torch.Tensor:
        seen.append(places(row))
        return (row * torch.ones(2, device=row.device)).sin()

    assert places(TRANSFORMED[name](x, right)) == "cuda:1"
    assert set(seen) == {"cuda:1"}
    with pytest.raises(RuntimeError, match=MISMATCH):
        TRANSFORMED[name](x, lambda row: row * torch.ones(2))


def test_a_module_called_with_other_parameters_needs_them_on_its_device() -> None:
    layer, x = nn.Linear(2, 2).cuda(), torch.ones(3, 2, device="cuda")
    state = dict(layer.named_parameters())
    assert places(func.functional_call(layer, state, (x,))) == "cuda:0"
    with pytest.raises(RuntimeError, match=MISMATCH):
        func.functional_call(layer, {k: v.cpu() for k, v in state.items()}, (x,))


def test_a_gradient_from_elsewhere_is_refused_at_the_root() -> None:
    x = torch.ones(2, device="cuda:1", requires_grad=True)
    with pytest.raises(RuntimeError, match="expected device cuda:1 but got cpu"):
        (x * 2).backward(torch.ones(2))
    (x.sum() * 2).backward(torch.tensor(1.0))
    assert places(x.grad) == "cuda:1"


def test_a_function_for_torchscript_runs_as_the_python_it_is() -> None:
    @torch.jit.script
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x + torch.ones(2, device=x.device)

    assert twice.__name__ == "twice"
    assert places(twice(torch.ones(2, device="cuda:1"))) == "cuda:1"


def test_modules_of_pytorch_with_scripted_code_can_still_be_imported() -> None:
    name = "torch.distributed.optim.functional_adagrad"
    assert hasattr(importlib.reload(importlib.import_module(name)), "_FunctionalAdagrad")


def test_what_is_to_be_compiled_is_refused_when_it_runs() -> None:
    @torch.compile(dynamic=True)
    def twice(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    model = torch.compile(nn.Linear(2, 1))
    assert places(model.to("cuda").weight) == "cuda:0"
    assert list(model.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]
    for compiled in (twice, model):
        with pytest.raises(NotSimulated, match=r"torch\.compile"):
            compiled(torch.ones(2, device="cuda"))


def test_instances_of_the_old_types_are_told() -> None:
    x = torch.ones(1, device="cuda")
    assert isinstance(x, torch.cuda.FloatTensor) and not isinstance(x, torch.cuda.HalfTensor)
    assert not isinstance(x.cpu(), torch.cuda.FloatTensor)

"""Simulated CUDA devices: gradients, optimizers, modules."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from simulated_places import MISMATCH, places
from torch import nn


class Square(torch.autograd.Function):
    """Notes where it sees tensors in its backward."""

    seen = ""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        Square.seen = places(x, gradient, 2 * x * gradient)
        return 2 * x * gradient


@pytest.mark.usefixtures("cuda")
class TestTraining:
    """Modules, gradients, optimizers."""

    def test_moving_a_module_keeps_parameters_and_replaces_buffers(self) -> None:
        norm = nn.BatchNorm1d(2)
        weight, mean = norm.weight, norm.running_mean
        assert norm.to("cuda:1") is norm
        assert norm.weight is weight
        assert norm.running_mean is not mean
        assert places(weight, norm.running_mean, norm.num_batches_tracked, mean) == (
            "cuda:1 cuda:1 cuda:1 cpu"
        )
        assert places(norm.cpu().weight) == "cpu"

    def test_gradients_live_with_their_tensor(self) -> None:
        x = torch.ones(2, requires_grad=True)
        y = x.to("cuda:0")
        z = (Square.apply(y * 2).to("cuda:1") * 3).sum()
        seen: list[str] = []
        y.register_hook(lambda gradient: seen.append(places(gradient)))
        z.backward()
        assert (places(z, x.grad), Square.seen, seen) == (
            "cuda:1 cpu",
            "cuda:0 cuda:0 cuda:0",
            ["cuda:0"],
        )
        assert x.grad.tolist() == [24.0, 24.0]
        (gradient,) = torch.autograd.grad(x.to("cuda:1").pow(2).sum(), x)
        assert places(gradient) == "cpu"
        with pytest.raises(RuntimeError, match="located on a different device"):
            y.detach().grad = torch.ones(2)

    def test_a_cpu_scalar_gets_its_gradient_on_the_cpu(self) -> None:
        weight = torch.ones(3, requires_grad=True)
        x = torch.ones(2, device="cuda", requires_grad=True)
        (Square.apply(weight).sum() * x).sum().backward()
        assert places(weight.grad, x.grad) == "cpu cuda:0"

    def test_gradients_go_back_through_an_assignment(self) -> None:
        x, weight = torch.zeros(3, device="cuda"), torch.ones(2, requires_grad=True)
        x[:2] = weight * weight
        x.sum().backward()
        assert (places(weight.grad), weight.grad.tolist()) == ("cpu", [2.0, 2.0])

    def test_module_hooks_and_checkpointing(self) -> None:
        layer, seen = nn.Linear(2, 2).cuda(1), []
        layer.register_full_backward_hook(lambda m, gi, go: seen.append(places(*gi, *go)))
        x = torch.ones(1, 2, device="cuda:1", requires_grad=True)
        checkpoint = torch.utils.checkpoint.checkpoint
        checkpoint(nn.Sequential(layer, nn.Dropout()), x, use_reentrant=False).sum().backward()
        assert (seen, places(x.grad)) == (["cuda:1 cuda:1"], "cuda:1")

    def test_saved_tensors_on_the_cpu(self) -> None:
        x = torch.ones(2, device="cuda:1", requires_grad=True)
        packed: list[str] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t: (packed.append(places(t)), t.device, t.cpu())[1:],
            lambda saved: saved[1].to(saved[0]),
        ):
            y = x.exp()
        with torch.autograd.graph.save_on_cpu():
            z = y.pow(2)
        z.sum().backward()
        assert (packed, places(x.grad)) == (["cuda:1"], "cuda:1")

    @pytest.mark.parametrize(
        ("make", "expected"),
        [
            (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), {"momentum_buffer": "cuda"}),
            (torch.optim.Adam, {"step": "cpu", "exp_avg": "cuda", "exp_avg_sq": "cuda"}),
            (
                lambda p: torch.optim.Adam(p, foreach=False),
                {"step": "cpu", "exp_avg": "cuda", "exp_avg_sq": "cuda"},
            ),
            (
                lambda p: torch.optim.AdamW(p, fused=True),
                {"step": "cuda", "exp_avg": "cuda", "exp_avg_sq": "cuda"},
            ),
        ],
    )
    def test_optimizer_state(self, make: Callable[..., Any], expected: dict[str, str]) -> None:
        layers = nn.Linear(2, 2).cuda(0), nn.Linear(2, 2).cuda(1)
        parameters = [*layers[0].parameters(), *layers[1].parameters()]
        optimizer = make(parameters)
        layers[1](layers[0](torch.ones(1, 2).cuda()).to(1)).sum().backward()
        assert places(nn.utils.clip_grad_norm_(parameters, 1.0)) == "cuda:0"
        optimizer.step()
        for index, layer in enumerate(layers):
            state = optimizer.state[layer.weight]
            found = {k: str(v.device) for k, v in state.items() if isinstance(v, torch.Tensor)}
            here = f"cuda:{index}"
            assert found == {k: here if v == "cuda" else v for k, v in expected.items()}

    def test_state_stays_behind_when_the_module_moves(self) -> None:
        layer = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        layer.cuda()
        assert places(optimizer.state[layer.weight]["momentum_buffer"], layer.weight.grad) == (
            "cpu cuda:0"
        )
        with pytest.raises(RuntimeError, match=MISMATCH):
            optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        assert places(optimizer.state[layer.weight]["momentum_buffer"]) == "cuda:0"

    @pytest.mark.parametrize(
        ("module", "shape"),
        [
            (nn.LSTM(4, 2), (3, 1, 4)),
            (nn.Conv2d(1, 2, 3), (1, 1, 4, 4)),
            (nn.TransformerEncoderLayer(4, 2, 8), (3, 1, 4)),
            (nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.GELU(), nn.Dropout()), (3, 4)),
        ],
        ids=["lstm", "convolution", "transformer", "sequential"],
    )
    def test_layers(self, module: nn.Module, shape: tuple[int, ...]) -> None:
        module = copy.deepcopy(module).to("cuda:1")
        out = module(torch.ones(shape, device="cuda:1"))
        out = out[0] if isinstance(out, tuple) else out
        out.sum().backward()
        gradients = {str(p.grad.device) for p in module.parameters()}
        assert (places(out), gradients) == ("cuda:1", {"cuda:1"})

    def test_packed_sequences_keep_their_lengths_on_the_cpu(self) -> None:
        rnn = nn.utils.rnn
        batch, lengths = torch.ones(2, 3, 4, device="cuda"), torch.tensor([3, 2])
        packed = rnn.pack_padded_sequence(batch, lengths, batch_first=True)
        assert places(packed.data, packed.batch_sizes) == "cuda:0 cpu"
        assert places(*rnn.pad_packed_sequence(packed)) == "cuda:0 cpu"
        with pytest.raises(RuntimeError, match="should be a 1D CPU int64 tensor"):
            rnn.pack_padded_sequence(batch, lengths.cuda(), batch_first=True)

"""Simulated CUDA devices: what may not meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from simulated_places import BAD_ORDINAL, MISMATCH, places
from torch import nn

from gpu_guide.simulate import SimulatedCuda


@pytest.mark.usefixtures("cuda")
class TestMixing:
    """What may not meet."""

    @pytest.mark.parametrize(
        "mix",
        [
            lambda a, b: a + b,
            lambda a, b: a @ b,
            lambda a, b: torch.cat([a, b]),
            lambda a, b: nn.Linear(2, 2).to(a.device)(b),
            lambda a, b: nn.functional.mse_loss(a, b),
            lambda a, b: torch.equal(a, b),
            lambda a, b: a.add_(b),
        ],
    )
    @pytest.mark.parametrize("other", ["cpu", "cuda:1"])
    def test_mixed_devices(self, mix: Callable[[Any, Any], Any], other: str) -> None:
        a, b = torch.ones(2, 2, device="cuda:0"), torch.ones(2, 2, device=other)
        with pytest.raises(RuntimeError, match=MISMATCH):
            mix(a, b)
        with pytest.raises(RuntimeError, match=MISMATCH):
            mix(b, a)

    def test_a_cpu_scalar_may_join_where_pytorch_lets_it(self) -> None:
        x, scalar = torch.ones(2, device="cuda:1"), torch.tensor(2.0)
        assert places(x * scalar, scalar + x) == "cuda:1 cuda:1"
        with pytest.raises(RuntimeError, match=MISMATCH):
            scalar.clone().add_(x.sum())
        with pytest.raises(RuntimeError, match=MISMATCH):
            nn.functional.embedding(torch.tensor(0), torch.ones(2, 2, device="cuda"))

    def test_copies_cross_devices(self) -> None:
        x = torch.zeros(3, device="cuda:0")
        x.copy_(torch.ones(3))
        x[:2] = torch.full((2,), 5.0, device="cuda:1")
        assert (places(x), x.tolist()) == ("cuda:0", [5.0, 5.0, 1.0])

    def test_indexing(self) -> None:
        x = torch.arange(4.0, device="cuda:0")
        assert places(x[torch.tensor([0, 1])], x[x > 1]) == "cuda:0 cuda:0"
        with pytest.raises(RuntimeError, match=r"indices should be either on cpu or .*\(cpu\)"):
            torch.ones(4)[torch.tensor([0], device="cuda")]

    def test_a_convolution_words_it_differently(self) -> None:
        words = r"Input type \(torch.FloatTensor\) and weight type \(torch.cuda.FloatTensor\)"
        with pytest.raises(RuntimeError, match=words):
            nn.Conv2d(1, 2, 3).cuda()(torch.ones(1, 1, 4, 4))

    def test_testing_tools_look_at_devices(self) -> None:
        with pytest.raises(AssertionError, match="cuda:0 != cpu"):
            torch.testing.assert_close(torch.ones(1, device="cuda"), torch.ones(1))

    @pytest.mark.parametrize(
        "use",
        [
            lambda: torch.ones(1, device="cuda:2"),
            lambda: torch.ones(1).to(2),
            lambda: torch.ones(1).cuda(2),
            lambda: torch.cuda.set_device(2),
            lambda: torch.cuda.device(2).__enter__(),
            lambda: torch.cuda.synchronize("cuda:2"),
            lambda: torch.accelerator.set_device_index(2),
            lambda: nn.Linear(1, 1).to("cuda:2"),
        ],
    )
    def test_invalid_ordinals(self, use: Callable[[], Any]) -> None:
        with pytest.raises(torch.AcceleratorError, match=BAD_ORDINAL):
            use()
        assert torch.cuda.current_device() == 0

    def test_lists_of_tensors_go_row_by_row(self) -> None:
        lists = [torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")]
        assert places(*torch._foreach_add(lists, lists)) == "cuda:0 cuda:1"
        with pytest.raises(RuntimeError, match=MISMATCH):
            torch._foreach_add(lists, lists[::-1])
        with pytest.raises(RuntimeError, match="scalar tensor expected to be on cuda:1"):
            torch._foreach_mul(lists[1:], torch.tensor(2.0, device="cuda:0"))
        assert places(*torch._foreach_mul(lists, torch.tensor(2.0))) == "cuda:0 cuda:1"

    def test_losses_take_no_scalar_of_the_cpu(self) -> None:
        """TensorIterator lets one in, and the CUDA kernels behind it do not take it."""
        score, target = torch.tensor(1.0, device="cuda"), torch.tensor(1.0)
        for loss in ("mse_loss", "smooth_l1_loss", "binary_cross_entropy"):
            with pytest.raises(RuntimeError, match=MISMATCH):
                getattr(torch.nn.functional, loss)(score, target)
        assert places(torch.nn.functional.soft_margin_loss(score, target)) == "cuda:0"

    def test_an_index_of_another_device_may_write_but_not_read(self) -> None:
        x, index = torch.zeros(3, device="cuda:0"), torch.tensor([1], device="cuda:1")
        with pytest.raises(RuntimeError, match="indices should be either on cpu"):
            x[index]
        x[index] = 1.0
        assert x.tolist() == [0, 1, 0]
        assert places(torch.zeros(2)[torch.tensor(True, device="cuda")]) == "cpu"

    def test_nonsense_is_pytorchs_own_error(self) -> None:
        with pytest.raises(RuntimeError, match="Invalid device string: 'cuda:x'"):
            torch.ones(1).to("cuda:x")


def test_one_device_has_no_cuda_1() -> None:
    with SimulatedCuda(1), pytest.raises(torch.AcceleratorError, match=BAD_ORDINAL):
        torch.ones(1, device="cuda:1")


TWO_GPUS = """
import torch
from torch import nn
front, back = nn.Linear(4, 8).to("cuda:0"), nn.Linear(8, 2).to("cuda:1")
optimizer = torch.optim.AdamW([*front.parameters(), *back.parameters()])
hidden = front(torch.randn(3, 4).to("cuda:0")).relu()
out = back(hidden.to("cuda:1"))
out.sum().backward()
optimizer.step()
devices = [str(p.grad.device) for p in (front.weight, back.weight)]
"""


def test_model_parallel_code_runs_and_its_mutant_is_caught() -> None:
    names: dict[str, Any] = {}
    with SimulatedCuda(2):
        exec(TWO_GPUS, names)
    assert names["devices"] == ["cuda:0", "cuda:1"]
    mutant = TWO_GPUS.replace('hidden.to("cuda:1")', "hidden")
    assert mutant != TWO_GPUS
    with SimulatedCuda(2), pytest.raises(RuntimeError, match=MISMATCH):
        exec(mutant, {})

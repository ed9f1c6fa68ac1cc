"""Simulated CUDA devices: where tensors live, what is refused, and that nothing is left behind."""

from __future__ import annotations

import copy
import io
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from gpu_guide.simulate import NotSimulated, SimulatedCuda

MISMATCH = "Expected all tensors to be on the same device"
BAD_ORDINAL = "invalid device ordinal"


@pytest.fixture
def cuda() -> Iterator[None]:
    """Two simulated devices around the test."""
    with SimulatedCuda(2):
        yield


def places(*tensors: torch.Tensor) -> str:
    """Where the tensors are, as a sentence that reads well in a failed test."""
    return " ".join(str(tensor.device) for tensor in tensors)


@pytest.mark.usefixtures("cuda")
class TestPlacement:
    """Where tensors come to live."""

    @pytest.mark.parametrize("device", ["cuda:1", torch.device("cuda:1"), 1])
    @pytest.mark.parametrize(
        "make",
        [
            lambda d: torch.tensor([1.0, 2.0], device=d),
            lambda d: torch.ones(2, device=d),
            lambda d: torch.empty_like(torch.ones(2), device=d),
            lambda d: torch.as_tensor(np.ones(2), device=d),
            lambda d: torch.ones(2).new_zeros(2, device=d),
            lambda d: torch.randn(2, device=d),
            lambda d: torch.arange(2, device=d),
            lambda d: torch.ones(2).to(d),
            lambda d: torch.ones(2).to(device=d, dtype=torch.float64),
            lambda d: torch.ones(2).to(d, torch.float64, True, True),
            lambda d: torch.ones(2).cuda(d),
            lambda d: nn.Linear(2, 2, device=d).weight,
            lambda d: nn.Linear(2, 2).to(d).weight,
            lambda d: nn.Linear(2, 2).cuda(d).weight,
        ],
    )
    def test_every_way_to_name_a_device(self, make: Callable[[Any], Any], device: Any) -> None:
        made = make(device)
        assert made.device == torch.device("cuda:1")
        assert (made.is_cuda, made.is_cpu, made.get_device()) == (True, False, 1)
        assert made.untyped_storage().device == torch.device("cuda:1")

    def test_results_live_with_their_arguments(self) -> None:
        x = torch.ones(2, 2, device="cuda:1")
        results = (
            x + 1,
            x @ x,
            x[0],
            x.sum(),
            x.detach(),
            x.T,
            x.max(0).indices,
            x.new_tensor([1]),
        )
        assert places(*results, torch.rand_like(x), *x) == " ".join(["cuda:1"] * 11)
        assert places(nn.functional.one_hot(torch.arange(2, device="cuda:1"))) == "cuda:1"
        assert places(x.cpu(), x.cpu() + 1, torch.ones(2)) == "cpu cpu cpu"

    def test_a_move_is_a_copy_only_where_something_changes(self) -> None:
        x = torch.ones(2)
        y = x.to("cuda")
        y += 1
        assert x.tolist() == [1.0, 1.0]
        assert y.to("cuda:0") is y
        assert y.cuda() is y
        assert y.to("cuda:1") is not y
        assert y.to("cuda", copy=True) is not y
        assert y.type_as(torch.ones(1, dtype=torch.float64)).dtype == torch.float64
        assert places(y, y.type_as(x), x.to(y), y.double()) == "cuda:0 cpu cuda:0 cuda:0"

    def test_what_shares_memory_on_the_cpu_is_a_copy_on_cuda(self) -> None:
        array = np.ones(2)
        tensor = torch.as_tensor(array, device="cuda")
        array[0] = 5
        assert tensor.tolist() == [1.0, 1.0]
        on_cpu = torch.ones(2)
        assert places(torch.as_tensor(on_cpu, device="cuda"), on_cpu) == "cuda:0 cpu"

    def test_a_bare_cuda_is_no_device_of_its_own(self) -> None:
        tensor = torch.ones(1, device="cuda")
        assert tensor.device != torch.device("cuda")
        assert tensor.device == torch.device("cuda:0") == torch.device(0)
        assert isinstance(torch.device(1), torch.device)
        assert pickle.loads(pickle.dumps(torch.device("cuda:1"))) == torch.device("cuda:1")

    def test_views_and_data_stay(self) -> None:
        x = torch.zeros(4, device="cuda:1")
        x[:2].add_(1)
        x[0] = torch.tensor(3.0)
        x.data = torch.ones(2, device="cuda:0")
        assert places(x, x.data, x.view(2, 1)) == "cuda:0 cuda:0 cuda:0"

    def test_meta_stays_meta(self) -> None:
        assert places(torch.ones(1, device="cuda").to("meta")) == "meta"
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            torch.ones(1, device="meta").to("cuda")
        assert places(nn.Linear(1, 1, device="meta").to_empty(device="cuda:1").bias) == "cuda:1"

    def test_printing(self) -> None:
        x = torch.tensor([1.0, 2.0], device="cuda:1")
        assert str(x) == f"{x}" == "tensor([1., 2.], device='cuda:1')"
        assert f"{x.sum():.1f}" == "3.0"
        assert str(nn.Parameter(x)).endswith("device='cuda:1', requires_grad=True)")
        assert repr([x.to("cuda:0")]) == "[tensor([1., 2.], device='cuda:0')]"
        assert "grad_fn=<ToCopyBackward0>" in str(torch.ones(1, requires_grad=True).cuda())
        assert x.type() == "torch.cuda.FloatTensor"

    def test_numpy_only_from_the_cpu(self) -> None:
        x = torch.ones(2, device="cuda:1")
        with pytest.raises(TypeError, match="can't convert cuda:1 device type tensor to numpy"):
            x.numpy()
        with pytest.raises(TypeError, match=r"Use Tensor.cpu\(\)"):
            np.asarray(x)
        assert x.cpu().numpy().tolist() == x.tolist() == [1.0, 1.0]

    def test_pinned_memory(self) -> None:
        x = torch.ones(2)
        pinned = x.pin_memory()
        assert (x.is_pinned(), pinned.is_pinned(), pinned[:1].is_pinned()) == (False, True, True)
        assert pinned.pin_memory() is pinned
        assert torch.empty(2, pin_memory=True).is_pinned()
        assert places(pinned, pinned.to("cuda", non_blocking=True)) == "cpu cuda:0"
        assert not pinned.cuda().is_pinned()
        with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
            pinned.cuda().pin_memory()
        with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
            torch.empty(2, device="cuda", pin_memory=True)

    @pytest.mark.parametrize("workers", [0, 1])
    def test_data_loader_pins(self, workers: int) -> None:
        data = TensorDataset(torch.arange(4.0))
        loader = DataLoader(data, batch_size=2, pin_memory=True, num_workers=workers)
        batches = [batch for (batch,) in loader]
        assert [batch.is_pinned() for batch in batches] == [True, True]
        assert places(*(batch.cuda() for batch in batches)) == "cuda:0 cuda:0"


@pytest.mark.usefixtures("cuda")
class TestCurrentDevice:
    """Which device a bare "cuda" means, and the default device."""

    def test_the_current_device_resolves_cuda_and_nothing_else(self) -> None:
        with torch.cuda.device(1):
            assert torch.cuda.current_device() == 1
            a, b = torch.tensor([1.0]), torch.tensor([1.0], device="cuda")
            assert places(a, b, a.cuda(), a.to("cuda"), b.to("cuda:0").cuda()) == (
                "cpu cuda:1 cuda:1 cuda:1 cuda:1"
            )
        assert torch.cuda.current_device() == 0

    @pytest.mark.parametrize("device", [None, "cuda", torch.device("cuda")])
    def test_set_device_wants_a_number(self, device: object) -> None:
        for set_device in (torch.cuda.set_device, torch.accelerator.set_device_index):
            with pytest.raises(ValueError, match=r"Expected a torch.device with a specified index"):
                set_device(device)

    def test_set_device_and_device_of(self) -> None:
        torch.cuda.set_device("cuda:1")
        assert places(torch.ones(1, device="cuda")) == "cuda:1"
        with torch.cuda.device_of(torch.ones(1, device="cuda:0")):
            assert torch.cuda.current_device() == 0
        with torch.cuda.device_of(torch.ones(1)):
            assert torch.cuda.current_device() == 1

    def test_device_contexts_nest(self) -> None:
        with torch.device("cuda:1"):
            assert places(torch.ones(1), nn.Linear(1, 1).weight) == "cuda:1 cuda:1"
            with torch.device(0):
                assert places(torch.tensor(1.0)) == "cuda:0"
            assert places(torch.ones(1), torch.ones(1, device="cpu")) == "cuda:1 cpu"
        assert places(torch.ones(1)) == "cpu"

    def test_set_default_device(self) -> None:
        torch.set_default_device("cuda")
        with torch.cuda.device(1):
            assert torch.get_default_device() == torch.device("cuda:1")
            assert places(torch.ones(1), torch.from_numpy(np.ones(1))) == "cuda:1 cpu"
        torch.set_default_device(None)
        assert places(torch.ones(1)) == "cpu"

    def test_accelerator(self) -> None:
        accelerator = torch.accelerator
        assert accelerator.is_available()
        assert accelerator.device_count() == 2
        assert accelerator.current_accelerator() == torch.device("cuda")
        assert accelerator.current_accelerator(check_available=True) == torch.device("cuda")
        with accelerator.device_index(1):
            assert accelerator.current_device_index() == 1
            assert places(torch.ones(1, device=accelerator.current_accelerator())) == "cuda:1"
        with accelerator.device_index(None):
            assert accelerator.current_device_index() == 0
        accelerator.set_device_index("cuda:1")
        assert torch.cuda.current_device() == 1
        accelerator.synchronize()

    def test_what_torch_cuda_answers(self) -> None:
        assert torch.cuda.is_available()
        assert torch.cuda.device_count() == 2
        assert not torch.cuda.is_initialized()
        names = {torch.cuda.get_device_name(d) for d in (None, 0, "cuda", "cuda:0")}
        assert len(names) == 1
        assert "simulated" in names.pop()
        torch.ones(1).cuda()
        assert torch.cuda.is_initialized()
        with pytest.raises(AssertionError, match="Invalid device id"):
            torch.cuda.get_device_name(2)

    def test_each_thread_has_its_own_current_device(self) -> None:
        torch.cuda.set_device(1)
        x = torch.ones(1, device="cuda")

        def seen() -> tuple[str, int]:
            return places(x, x + 1, torch.ones(1, device="cuda")), torch.cuda.current_device()

        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(seen).result() == ("cuda:1 cuda:1 cuda:0", 0)

        class Own(threading.Thread):
            def run(self) -> None:
                self.seen = places(x)

        thread = Own()
        thread.start()
        thread.join()
        assert thread.seen == "cuda:1"


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


@pytest.mark.usefixtures("cuda")
class TestCopying:
    """deepcopy, state_dict, save and load."""

    def test_deepcopy_and_state_dict(self) -> None:
        model = nn.Linear(2, 2).to("cuda:1")
        model(torch.ones(1, 2, device="cuda:1")).sum().backward()
        twin = copy.deepcopy(model)
        assert places(twin.weight, copy.copy(twin.bias)) == "cuda:1 cuda:1"
        assert places(copy.deepcopy(torch.ones(1, device="cuda:1"))) == "cuda:1"
        on_cpu = nn.Linear(2, 2)
        on_cpu.load_state_dict(model.state_dict())
        assert places(on_cpu.weight, model.state_dict()["weight"]) == "cpu cuda:1"
        assert on_cpu.weight.tolist() == model.weight.tolist()
        on_cpu.load_state_dict(model.state_dict(), assign=True)
        assert places(on_cpu.weight) == "cuda:1"

    @pytest.mark.parametrize(
        ("map_location", "expected"),
        [
            (None, "cuda:1 cpu"),
            ("cpu", "cpu cpu"),
            ("cuda", "cuda:0 cuda:0"),
            (torch.device("cuda:1"), "cuda:1 cuda:1"),
            ({"cuda:1": "cuda:0"}, "cuda:0 cpu"),
            ({"cuda:1": "cpu"}, "cpu cpu"),
            (lambda storage, location: storage, "cpu cpu"),
            (lambda storage, location: storage.cuda(1), "cuda:1 cuda:1"),
            (lambda storage, location: None, "cuda:1 cpu"),
            ("meta", "meta meta"),
        ],
    )
    def test_save_and_load(self, map_location: Any, expected: str) -> None:
        file = io.BytesIO()
        torch.save({"a": torch.arange(3.0, device="cuda:1"), "b": torch.ones(1)}, file)
        file.seek(0)
        loaded = torch.load(file, map_location=map_location)
        assert places(loaded["a"], loaded["b"]) == expected
        if "meta" not in expected:
            assert loaded["a"].tolist() == [0.0, 1.0, 2.0]

    def test_a_file_names_the_device_it_came_from(self) -> None:
        file = io.BytesIO()
        torch.save(torch.ones(1, device="cuda:1"), file)
        file.seek(0)
        with pytest.raises(RuntimeError, match="deserialize object on CUDA device 7"):
            torch.load(file, map_location="cuda:7")

    def test_pickle(self) -> None:
        assert places(pickle.loads(pickle.dumps(torch.ones(1, device="cuda:1")))) == "cuda:1"


@pytest.mark.usefixtures("cuda")
class TestRandomNumbers:
    """Generators and seeds: placement, and that the CPU's numbers are left alone."""

    def test_generators(self) -> None:
        generator = torch.Generator(device="cuda:1").manual_seed(3)
        assert (generator.device, generator.initial_seed()) == (torch.device("cuda:1"), 3)
        assert places(torch.randn(2, device="cuda:1", generator=generator)) == "cuda:1"
        words = "Expected a 'cuda' device type for generator but found 'cpu'"
        with pytest.raises(RuntimeError, match=words):
            torch.randn(2, device="cuda", generator=torch.Generator())
        with pytest.raises(RuntimeError, match=words):
            torch.empty(2, device="cuda").normal_(generator=torch.Generator())
        with pytest.raises(RuntimeError, match="Expected a 'cpu' device type"):
            torch.randn(2, generator=generator)

    def test_draws_on_cuda_leave_the_cpus_numbers_alone(self) -> None:
        torch.manual_seed(0)
        undisturbed = torch.randn(2).tolist()
        torch.manual_seed(0)
        first = torch.randn(2, device="cuda").tolist()
        nn.Dropout()(torch.ones(2, device="cuda"))
        assert torch.randn(2).tolist() == undisturbed != first
        torch.cuda.manual_seed(0)
        assert torch.randn(2, device="cuda").tolist() == first
        state = torch.cuda.get_rng_state()
        second = torch.randn(2, device="cuda").tolist()
        assert second != first
        torch.cuda.set_rng_state(state)
        assert torch.randn(2, device="cuda").tolist() == second
        torch.cuda.manual_seed(1)
        assert torch.randn(2, device="cuda").tolist() != first


CUDA_NAMES = """
        memory_allocated max_memory_allocated memory_reserved max_memory_reserved mem_get_info
        memory_stats memory_summary memory_snapshot reset_peak_memory_stats list_gpu_processes
        set_per_process_memory_fraction MemPool Stream Event ExternalStream stream current_stream
        default_stream set_stream StreamContext CUDAGraph graph make_graphed_callables
        graph_pool_handle get_device_properties get_device_capability get_arch_list
        is_bf16_supported is_tf32_supported can_device_access_peer ipc_collect utilization
        temperature power_draw clock_rate cudart current_blas_handle FloatTensor FloatStorage
        memory.memory_allocated memory._record_memory_history memory._snapshot nccl.version
        nvtx.range_push profiler.start streams.Stream graphs.CUDAGraph
        """
ACCELERATOR_NAMES = """
        memory_allocated max_memory_allocated memory_reserved memory_stats get_memory_info
        reset_peak_memory_stats current_stream set_stream get_device_capability Graph
        empty_host_cache
        """
REFUSED = {
    **{f"torch.cuda.{name}()": f"torch.cuda.{name}" for name in CUDA_NAMES.split()},
    **{
        f"torch.accelerator.{name}()": f"torch.accelerator.{name}"
        for name in ACCELERATOR_NAMES.split()
        if hasattr(torch.accelerator, name)
    },
    "torch.cuda.comm.broadcast(torch.ones(1), [0])": "torch.cuda.comm.broadcast",
    "torch.Stream()": "torch.Stream",
    "torch.Event()": "torch.Event",
    "torch.compile(abs)": "torch.compile",
    "torch.vmap(abs)": "torch.vmap",
    "torch.func.grad(abs)": "torch.func.grad",
    "torch.jit.script(abs)": "torch.jit.script",
    "torch.jit.trace(abs, 1)": "torch.jit.trace",
    "torch.export.export(abs)": "torch.export.export",
    "torch.distributed.init_process_group('gloo')": "torch.distributed.init_process_group",
    "torch.nn.DataParallel(torch.nn.Linear(1, 1))": "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel(abs)": "DistributedDataParallel",
    "torch.nn.parallel.data_parallel(abs, 1)": "torch.nn.parallel.data_parallel",
    "torch.multiprocessing.spawn(abs)": "torch.multiprocessing.spawn",
    "torch.profiler.profile()": "torch.profiler.profile",
    "__import__('torch.utils.benchmark').utils.benchmark.Timer('1')": "benchmark.Timer",
    "torch.autocast('cuda').__enter__()": "torch.autocast('cuda')",
    "torch.amp.GradScaler()": "torch.amp.GradScaler('cuda')",
    "torch.amp.GradScaler('cuda:0')": "torch.amp.GradScaler('cuda')",
    "torch.set_default_tensor_type('torch.cuda.FloatTensor')": "torch.set_default_tensor_type",
    "isinstance(torch.ones(1), torch.cuda.FloatTensor)": "torch.cuda.FloatTensor",
    "torch.ones(1, device='cuda').data_ptr()": "Tensor.data_ptr()",
    "torch.ones(1, device='cuda').__cuda_array_interface__": "__cuda_array_interface__",
    "torch.from_dlpack(torch.ones(1, device='cuda'))": "Tensor.__dlpack",
    "torch.ones(1, device='cuda').type('torch.cuda.HalfTensor')": "Tensor.type",
    "torch.ones(1).type('torch.cuda.HalfTensor')": "Tensor.type",
    "torch.ones(1, device='cuda').to_sparse()": "torch.sparse_coo tensor on cuda:0",
    "torch.ones(1).to_sparse().cuda()": "torch.sparse_coo tensor on cuda:0",
    "torch.nested.nested_tensor([torch.ones(1)], device='cuda')": "torch.nested.nested_tensor",
}


@pytest.mark.usefixtures("cuda")
class TestRefusals:
    """What is not answered is refused, by name."""

    @pytest.mark.parametrize(("code", "named"), REFUSED.items(), ids=REFUSED.keys())
    def test_refused(self, code: str, named: str) -> None:
        with pytest.raises(NotSimulated, match="needs a real GPU") as refusal:
            eval(code, {"torch": torch})
        assert named in str(refusal.value)

    def test_names_that_a_later_pytorch_adds_are_refused(self) -> None:
        answered = {
            "is_available device_count current_device set_device synchronize get_device_name "
            "is_initialized init empty_cache is_current_stream_capturing device device_of "
            "manual_seed manual_seed_all seed seed_all initial_seed get_rng_state "
            "get_rng_state_all set_rng_state set_rng_state_all cudaStatus classproperty"
        }.pop()
        left = [
            name
            for name, value in vars(torch.cuda).items()
            if callable(value)
            and not name.startswith("_")
            and getattr(value, "__module__", "") == "torch.cuda"
            and not (isinstance(value, type) and issubclass(value, BaseException))
            and name not in answered.split()
        ]
        assert left == []

    def test_harmless_uses_of_refused_tools_stay(self) -> None:
        with torch.autocast("cuda", enabled=False):
            assert torch.ones(1, device="cuda").dtype == torch.float32
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
        assert torch.amp.GradScaler("cpu").get_scale() > 1
        assert not isinstance(torch.ones(1), torch.cuda.Stream)

    def test_a_custom_operator_would_lose_labels(self) -> None:
        @torch.library.custom_op("gpu_guide_test::twice", mutates_args=())
        def twice(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        assert twice(torch.ones(1)).item() == 2.0
        with pytest.raises(NotSimulated, match="gpu_guide_test"):
            twice(torch.ones(1, device="cuda"))

    @pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
    @pytest.mark.parametrize("use", ["tensor", "device"])
    def test_cuda_in_a_forked_process(self, use: str) -> None:
        context = multiprocessing.get_context("fork")
        here, there = context.Pipe(duplex=False)
        tensor = torch.ones(1, device="cuda")

        def child() -> None:
            try:
                there.send(str(tensor.device) if use == "tensor" else places(torch.ones(1).cuda()))
            except NotSimulated as refusal:
                there.send(refusal)

        process = context.Process(target=child)
        process.start()
        answer = here.recv()
        process.join()
        assert isinstance(answer, NotSimulated)
        assert str(answer).endswith("in a forked process is not simulated: it needs a real GPU")

    def test_changing_visible_devices(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(os.environ, "CUDA_VISIBLE_DEVICES", "1")
        with pytest.raises(NotSimulated, match="CUDA_VISIBLE_DEVICES"):
            torch.cuda.device_count()

    def test_the_build_is_described_as_it_is(self) -> None:
        inside = torch.version.cuda, torch.backends.cuda.is_built()
        assert inside == (BUILD_CUDA, BUILD_IS_CUDA)


BUILD_CUDA, BUILD_IS_CUDA = torch.version.cuda, torch.backends.cuda.is_built()


def _everything() -> dict[str, Any]:
    """What the simulation may touch, by name."""
    owners: dict[str, Any] = {
        name: module
        for name, module in sys.modules.items()
        if name.split(".")[0] == "torch"
        and name.split(".")[1:2] in ([], ["cuda"], ["accelerator"], ["nn"], ["autograd"], ["utils"])
    }
    owners |= {"_C": torch._C, "_C._nn": torch._C._nn, "Thread": threading.Thread}
    owners |= {"Tensor": torch.Tensor, "Storage": torch.UntypedStorage, "jit": torch.jit}
    owners |= {"Optimizer": torch.optim.Optimizer, "autocast": torch.autocast}
    owners |= {"DataParallel": nn.DataParallel, "distributed": torch.distributed}
    return {
        f"{owner}.{name}": value
        for owner, thing in owners.items()
        for name, value in vars(thing).items()
    }


def test_everything_is_restored_also_after_an_exception() -> None:
    def use() -> None:
        torch.set_default_device("cuda:1")
        torch.ones(1)
        raise KeyError("from inside")

    benchmark = sys.modules.get("torch.utils.benchmark")  # another test may have imported it
    with SimulatedCuda(2):  # a first time, for what PyTorch loads late
        pass
    before = _everything()
    with pytest.raises(KeyError, match="from inside"), SimulatedCuda(2):
        use()
    after = _everything()
    changed = [k for k, v in before.items() if after.get(k) is not v and k in after]
    missing = before.keys() - after.keys()
    added = {k for k in after.keys() - before.keys() if "torch.utils.benchmark" in k}
    assert (changed, missing, added) == ([], set(), set())
    assert torch.get_default_device() == torch.device("cpu")
    assert sys.modules.get("torch.utils.benchmark") is benchmark


@pytest.mark.skipif(torch.version.cuda is not None, reason="says what a CPU build says")
def test_after_it_a_cpu_build_is_a_cpu_build() -> None:
    with SimulatedCuda(3):
        outlives = torch.ones(1, device="cuda:2")
        assert torch.cuda.device_count() == 3
    assert (torch.cuda.is_available(), torch.cuda.device_count()) == (False, 0)
    assert places(outlives, outlives + torch.ones(1)) == "cpu cpu"
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.ones(1).cuda()


def test_nothing_leaks_from_one_simulation_into_the_next() -> None:
    with SimulatedCuda(2):
        torch.cuda.set_device(1)
        old = torch.ones(1, device="cuda:1")
        pinned = torch.ones(1).pin_memory()
        numbers = torch.randn(1, device="cuda").item()
    with SimulatedCuda(1):
        assert torch.cuda.current_device() == 0
        assert not torch.cuda.is_initialized() or torch.cuda.device_count() == 1
        assert places(old) == "cpu"
        assert not pinned.is_pinned()
        assert torch.randn(1, device="cuda").item() == numbers


def test_an_earlier_default_device_comes_back() -> None:
    torch.set_default_device("meta")
    try:
        with SimulatedCuda(1):
            assert places(torch.ones(1)) == "meta"
            torch.set_default_device("cuda")
            assert places(torch.ones(1)) == "cuda:0"
        assert torch.get_default_device() == torch.device("meta")
    finally:
        torch.set_default_device(None)


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="devices=0"):
        SimulatedCuda(0)
    with SimulatedCuda(1), pytest.raises(RuntimeError, match="already simulated"):
        SimulatedCuda(1).__enter__()
    with SimulatedCuda(1):
        assert torch.cuda.is_available()

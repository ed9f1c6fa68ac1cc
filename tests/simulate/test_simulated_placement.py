"""Simulated CUDA devices: where tensors come to live, and which device a bare "cuda" means."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from simulated_places import places
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


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

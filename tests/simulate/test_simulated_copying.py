"""Simulated CUDA devices: copies, files and random numbers."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest
import torch
from simulated_places import places
from torch import nn


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

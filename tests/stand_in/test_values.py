"""What a stand-in GPU computes: the same as the CPU, wherever PyTorch asks for it."""

from __future__ import annotations

import copy
import threading
import warnings

import pytest
import torch

GPU = "cuda:0"
MATRIX = torch.tensor([[3.0, 1.0, 2.0], [-1.0, 0.5, 4.0]])


def both(work, *tensors: torch.Tensor) -> None:
    """See that `work` returns the same on the stand-in as on the CPU, and on the stand-in."""
    expected = work(*(tensor.clone() for tensor in tensors))
    found = work(*(tensor.to(GPU) for tensor in tensors))
    assert found.device == torch.device(GPU)
    torch.testing.assert_close(found.cpu(), expected, rtol=0, atol=0)


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x + 1,
        lambda x: 2 ** x.round(),
        lambda x: x % 0.75,
        lambda x: x.long() & 3,
        lambda x: x @ x.T,
        lambda x: x.sum(0),
        lambda x: x[x > 1],
        lambda x: x.nonzero(),
        lambda x: x.flatten().unique(),
        lambda x: x.sort(1).values,
        lambda x: torch.cat([x, x * 2]).t().contiguous(),
        lambda x: x.to(torch.int64).bincount(minlength=9) if x.min() >= 0 else x,
        lambda x: torch.nn.functional.conv1d(x[None], x[:, :2][None]),
        lambda x: torch.linalg.solve(x @ x.T, x),
    ],
)
def test_results_are_those_of_the_cpu(work) -> None:
    both(work, MATRIX)


def test_what_is_changed_in_place_is_changed_once() -> None:
    """The CUDA code of some operators consists of others, which are computed themselves."""

    def work(x: torch.Tensor) -> torch.Tensor:
        x.add_(x).mul_(3)
        x[:, 1:] += x[:, :2]
        x.t().sub_(1)
        torch._foreach_mul_([x[:, :2], x.t()], 3.0)  # by one mul_ for each
        torch.add(x, x, out=x)
        return x

    both(work, MATRIX)


def test_views_see_what_is_written_through_their_base() -> None:
    x = torch.zeros(2, 3, device=GPU)
    column = x[:, 1]
    x += 1
    column.mul_(5)
    assert x.tolist() == [[1, 5, 1], [1, 5, 1]]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"momentum": 0.9}),
        ("SGD", {"fused": True}),
        ("Adam", {}),
        ("Adam", {"foreach": False}),
        ("AdamW", {"fused": True}),
    ],
)
def test_optimizers_step_as_on_the_cpu(name: str, options: dict) -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    twin = copy.deepcopy(model).to(GPU)
    for one, x in ((model, MATRIX), (twin, MATRIX.to(GPU))):
        optimizer = getattr(torch.optim, name)(one.parameters(), lr=0.1, **options)
        for _ in range(3):
            optimizer.zero_grad()
            one(x).square().mean().backward()
            optimizer.step()
    torch.testing.assert_close(twin.weight.cpu(), model.weight)


def test_every_thread_computes() -> None:
    found: list[float] = []
    x = MATRIX.to(GPU)
    thread = threading.Thread(target=lambda: found.append((x * 2).sum().item()))
    thread.start()
    thread.join()
    assert found == [19.0]


def test_a_tensor_is_printed_with_its_values() -> None:
    assert repr(torch.arange(3.0, device=GPU)) == "tensor([0., 1., 2.], device='cuda:0')"


def test_random_numbers_come_again_with_the_seed_and_leave_the_cpus_alone() -> None:
    before = torch.get_rng_state()
    generator = torch.Generator(GPU).manual_seed(1)
    first = torch.rand(5, device=GPU, generator=generator)
    second = torch.rand(5, device=GPU, generator=generator)
    again = torch.rand(5, device=GPU, generator=generator.manual_seed(1))
    assert torch.equal(first, again) and not torch.equal(first, second)
    assert torch.equal(torch.get_rng_state(), before)


def test_half_precision_is_rounded_to() -> None:
    x = MATRIX.half().to(GPU)
    assert torch.softmax(x, -1, dtype=torch.float32).dtype is torch.float32
    torch.testing.assert_close((x @ x.T).cpu(), (MATRIX @ MATRIX.T).half())


def test_what_was_not_computed_is_not_passed_off_as_a_value() -> None:
    large = torch.zeros(2**27, device=GPU)
    with pytest.raises(RuntimeError, match="was not computed"):
        large[0].item()
    assert large[:3].cpu().isnan().all()
    with pytest.raises(RuntimeError, match="was not computed"):
        large[:3].long().tolist()


def test_operators_whose_size_depends_on_values_wait_for_the_gpu() -> None:
    mask = MATRIX.to(GPU) > 1
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mask.nonzero()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert any("synchronizing CUDA operation" in str(one.message) for one in caught)


def test_snapshots_name_no_file_of_the_stand_in() -> None:
    torch.cuda.memory._record_memory_history()
    try:
        x = torch.ones(1000, device=GPU) + 1
        snapshot = torch.cuda.memory._snapshot()
    finally:
        torch.cuda.memory._record_memory_history(enabled=None)
    files = {
        frame["filename"]
        for trace in snapshot["device_traces"]
        for event in trace
        for frame in event["frames"]
    }
    assert __file__ in files and not any(file.endswith("stand_in/cpu_compute.py") for file in files)
    del x

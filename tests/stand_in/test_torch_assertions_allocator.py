"""What PyTorch's own tests assert about allocated memory, asserted on the stand-in.

The docstrings name the tests in github.com/pytorch/pytorch that expect it: test/test_cuda.py and,
where they say so, test/test_cuda_multigpu.py. Nothing here depends on what a kernel computes.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
import torch
from torch_assertions import MIB, empty, run, two_devices

pytestmark = pytest.mark.usefixtures("empty_allocator")


def test_raw_memory_counts_until_it_is_deleted() -> None:
    """TestCuda.test_memory_allocation"""
    before = torch.cuda.memory_allocated()
    address = torch.cuda.caching_allocator_alloc(1)
    assert torch.cuda.memory_allocated() == before + 512
    torch.cuda.caching_allocator_delete(address)
    assert torch.cuda.memory_allocated() == before


def test_256_floats_are_1024_active_bytes() -> None:
    """TestCuda.test_memory_stats"""
    before = torch.accelerator.memory_stats()["active_bytes.all.current"]
    tensor = torch.empty(256, device="cuda")
    stats = torch.accelerator.memory_stats()
    assert stats["active_bytes.all.current"] == before + tensor.nbytes
    assert stats["active_bytes.all.freed"] == 0
    del tensor
    stats = torch.accelerator.memory_stats()
    assert (stats["active_bytes.all.current"], stats["active_bytes.all.freed"]) == (before, 1024)


def test_a_request_for_800_million_gib_is_named_in_the_error() -> None:
    """TestCuda.test_out_of_memory"""
    says = r"Tried to allocate 800000000\.00 GiB\. GPU 0 has a total capacity of"
    with pytest.raises(torch.OutOfMemoryError, match=says):
        empty(2**30 * 800_000_000)


def test_more_than_an_exabyte_is_another_error() -> None:
    """TestCuda.test_out_of_memory"""
    with pytest.raises(RuntimeError, match="Tried to allocate more than 1EB memory"):
        empty(2**30 * 8_000_000_000)


def test_out_of_memory_leaves_other_tensors_and_the_device_usable() -> None:
    """TestCuda.test_out_of_memory"""
    tensor = torch.zeros(1024, device="cuda")
    with pytest.raises(torch.OutOfMemoryError):
        empty(2**50)
    tensor.fill_(1)
    torch.cuda.synchronize()
    assert empty(1).device == tensor.device


def test_half_the_memory_fits_again_once_the_other_half_is_freed() -> None:
    """TestCuda.test_out_of_memory_retry"""
    half = torch.cuda.get_device_properties(0).total_memory // 2
    first = empty(half)
    with pytest.raises(torch.OutOfMemoryError, match="Tried to allocate"):
        empty(half)
    del first
    assert empty(half).nbytes == half


def test_a_failed_request_counts_as_out_of_memory_and_as_a_retry() -> None:
    """TestCuda.test_out_of_memory, and the keys of torch.cuda.memory_stats"""
    before = torch.cuda.memory_stats()
    with pytest.raises(torch.OutOfMemoryError):
        empty(2**50)
    after = torch.cuda.memory_stats()
    assert after["num_ooms"] == before["num_ooms"] + 1
    assert after["num_alloc_retries"] == before["num_alloc_retries"] + 1


@pytest.mark.parametrize(
    ("fraction", "error", "says"),
    [
        (1, TypeError, "Invalid type"),
        (-0.1, ValueError, "Invalid fraction value"),
        (2.0, ValueError, "Invalid fraction value"),
    ],
)
def test_a_fraction_is_a_float_from_0_to_1(fraction: float, error: type, says: str) -> None:
    """TestCuda.test_set_per_process_memory_fraction"""
    with pytest.raises(error, match=says):
        torch.cuda.set_per_process_memory_fraction(fraction)


def test_with_half_as_the_fraction_0_499_fits_and_a_half_does_not() -> None:
    """TestCuda.test_set_per_process_memory_fraction"""
    total = torch.cuda.get_device_properties(0).total_memory
    held = torch.zeros(1024, device="cuda")
    torch.cuda.set_per_process_memory_fraction(0.5, 0)
    assert empty(int(total * 0.499) - torch.cuda.max_memory_reserved()).nbytes
    torch.cuda.empty_cache()
    with pytest.raises(torch.OutOfMemoryError, match="out of memory"):
        empty(int(total * 0.5))
    held.fill_(1)


@pytest.mark.parametrize("fraction", [1.0, 0.0, 0.25, 0.1])
def test_the_fraction_that_was_set_is_returned(fraction: float) -> None:
    """TestCuda.test_get_per_process_memory_fraction"""
    torch.cuda.set_per_process_memory_fraction(fraction)
    assert torch.cuda.get_per_process_memory_fraction() == pytest.approx(fraction, rel=1e-7)


def test_an_observer_hears_of_out_of_memory() -> None:
    """TestCudaMallocAsync.test_notifies_oom"""
    code = """
import torch
seen = []
torch._C._cuda_attach_out_of_memory_observer(lambda *told: seen.append(told))
try:
    torch.empty(2**50, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError:
    ((device, asked, total, free),) = seen
    print(device, asked == 2**50, total == torch.cuda.get_device_properties(0).total_memory)
"""
    assert run(code) == "0 True True"


def expected_stats(device: int) -> dict[str, int]:
    """What the statistics have to be, counted in a snapshot."""
    counts: Counter[str] = Counter()
    for segment in torch.cuda.memory_snapshot():
        if segment["device"] != device:
            continue
        assert segment["requested_size"] == sum(
            block["requested_size"] for block in segment["blocks"] if block["state"] != "inactive"
        )
        for pool in ("all", f"{segment['segment_type']}_pool"):
            counts[f"segment.{pool}.current"] += 1
            for key, size in [
                ("allocated_bytes", "allocated_size"),
                ("reserved_bytes", "total_size"),
                ("active_bytes", "active_size"),
                ("requested_bytes", "requested_size"),
            ]:
                counts[f"{key}.{pool}.current"] += segment[size]
            for block in segment["blocks"]:
                free = block["state"] == "inactive"
                split = free and len(segment["blocks"]) > 1
                counts[f"allocation.{pool}.current"] += block["state"] == "active_allocated"
                counts[f"active.{pool}.current"] += not free
                counts[f"inactive_split.{pool}.current"] += split
                counts[f"inactive_split_bytes.{pool}.current"] += split * block["size"]
    return dict(counts)


@pytest.mark.parametrize("seed", range(3))
def test_statistics_are_the_sums_of_the_snapshot(seed: int) -> None:
    """TestCudaMultiGPU.test_memory_stats, in test_cuda_multigpu.py"""
    choose, tensors = Random(seed), []
    for _ in range(40):
        if tensors and choose.random() < 0.4:
            tensors.pop(choose.randrange(len(tensors)))
        else:
            tensors.append(empty(int(2 ** choose.uniform(0, 25))))
        stats, expected = torch.cuda.memory_stats(), expected_stats(0)
        assert {key: stats[key] for key in expected} == expected


@two_devices
def test_statistics_of_two_devices_do_not_mix() -> None:
    """TestCudaMultiGPU.test_memory_stats_multigpu, in test_cuda_multigpu.py"""
    before = torch.cuda.memory_stats(0)
    other = empty(3 * MIB, "cuda:1")
    assert torch.cuda.memory_stats(0) == before
    stats, expected = torch.cuda.memory_stats(1), expected_stats(1)
    assert expected["allocated_bytes.all.current"] == other.nbytes
    assert {key: stats[key] for key in expected} == expected


def test_the_peak_stays_until_it_is_reset_to_what_is_there() -> None:
    """TestCudaMultiGPU.test_memory_stats, in test_cuda_multigpu.py"""
    tensor = empty(30 * MIB)
    del tensor
    assert torch.cuda.memory_allocated() == 0
    assert torch.cuda.max_memory_allocated() == torch.cuda.max_memory_reserved() == 30 * MIB
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated() == 0
    assert torch.cuda.max_memory_reserved() == torch.cuda.memory_reserved() == 30 * MIB


def test_emptying_the_cache_synchronizes_once_and_lowers_no_peak() -> None:
    """TestCudaMultiGPU.test_memory_stats, in test_cuda_multigpu.py"""
    tensor = empty(30 * MIB)
    del tensor
    before = torch.cuda.memory_stats()
    torch.cuda.empty_cache()
    after = torch.cuda.memory_stats()
    assert after["num_sync_all_streams"] == before["num_sync_all_streams"] + 1
    assert after["num_device_free"] == before["num_device_free"] + 1
    assert after["num_device_alloc"] == before["num_device_alloc"]
    assert (torch.cuda.memory_reserved(), torch.cuda.max_memory_reserved()) == (0, 30 * MIB)


def test_a_tensor_without_elements_allocates_nothing() -> None:
    """TestCudaMultiGPU.test_memory_stats, in test_cuda_multigpu.py"""
    tensor = torch.empty(0, 0, 0, device="cuda")
    assert (tensor.data_ptr(), torch.cuda.memory_allocated()) == (0, 0)


def test_blocks_that_another_stream_used_come_back_before_memory_runs_out() -> None:
    """TestCuda.test_caching_allocator_record_stream_oom"""
    stream = torch.cuda.Stream()
    share = torch.cuda.get_device_properties(0).total_memory // 20
    for _ in range(100):
        tensor = empty(share)
        tensor.record_stream(stream)
        del tensor


def test_the_native_backend_is_the_default() -> None:
    """TestCuda.test_allocator_backend"""
    assert torch.cuda.get_allocator_backend() == "native"


def test_sizes_are_rounded_to_quarters_between_powers_of_two() -> None:
    """TestCudaMallocAsync.test_allocator_settings"""
    code = """
import torch
torch._C._accelerator_setAllocatorSettings("roundup_power2_divisions:4")
for size in (1200, 4200, 5 * 2**20 - 1):
    tensor = torch.empty(size, dtype=torch.uint8, device="cuda")
    print(torch.cuda.memory_allocated(), end=" ")
    del tensor
"""
    assert run(code).split() == ["1536", "5120", str(5 * MIB)]

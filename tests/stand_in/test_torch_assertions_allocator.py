"""What PyTorch's own tests assert about its allocators, asserted of them on the stand-in.

The docstrings name the tests in github.com/pytorch/pytorch that expect it: test/test_cuda.py and,
where they say so, test/test_cuda_multigpu.py. Nothing here depends on what a kernel computes.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
import torch

MIB = 2**20


@pytest.fixture(autouse=True)
def empty_allocator() -> Iterator[None]:
    """Nothing of another test lies in the cache or in the statistics."""
    yield
    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch._C._host_emptyCache()
    for device in range(torch.cuda.device_count()):
        with torch.cuda.device(device):
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            torch.cuda.reset_accumulated_memory_stats()
    torch.cuda.reset_peak_host_memory_stats()
    torch.cuda.reset_accumulated_host_memory_stats()


def empty(size: int, device: str = "cuda") -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device=device)


def run(code: str) -> str:
    """What a process of its own prints."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


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


def test_statistics_of_two_devices_do_not_mix() -> None:
    """TestCudaMultiGPU.test_memory_stats_multigpu, in test_cuda_multigpu.py"""
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
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


@pytest.mark.parametrize(
    "settings",
    [
        "foo:1,bar:2",
        "garbage_collection_threshold:1.2",
        "max_split_size_mb:2",
        "release_lock_on_cudamalloc:none",
        "pinned_use_cuda_host_register:none",
        "pinned_num_register_threads:none",
        "pinned_num_register_threads:1024",
    ],
)
def test_settings_that_are_none_raise(settings: str) -> None:
    """TestCudaMallocAsync.test_allocator_settings"""
    with pytest.raises((RuntimeError, ValueError)):
        torch._C._accelerator_setAllocatorSettings(settings)


def test_the_history_tells_who_allocated_and_keeps_the_last_entries() -> None:
    """TestCudaMallocAsync.test_memory_snapshot"""
    code = """
import torch
torch.cuda.memory._record_memory_history(stacks="python")
def some_function():
    return torch.empty(311, 411, device="cuda")
tensor = some_function()
del tensor
snapshot = torch.cuda.memory._snapshot()
(trace,) = [one for one in snapshot["device_traces"] if one]
print(*[entry["action"] for entry in trace if entry["action"] != "snapshot"])
print(trace[-2]["size"] == 311 * 411 * 4, trace[1]["frames"][0]["name"])
torch.cuda.memory._record_memory_history(enabled=None)
print(sum(map(len, torch.cuda.memory._snapshot()["device_traces"])))
torch.cuda.memory._record_memory_history(max_entries=10, stacks="python")
for _ in range(50):
    torch.empty(5, device="cuda")
print(*[len(one) for one in torch.cuda.memory._snapshot()["device_traces"] if one])
"""
    actions, frames, after, last = run(code).split("\n")
    assert actions == "segment_alloc alloc free_requested free_completed"
    assert frames == "True some_function"
    assert (after, last) == ("0", "10")


def test_a_snapshot_can_be_drawn() -> None:
    """TestCudaMallocAsync.test_memory_plots"""
    from torch.cuda._memory_viz import segment_plot, trace_plot

    torch.cuda.memory._record_memory_history(stacks="python")
    try:
        tensor = empty(100)
        snapshot = torch.cuda.memory._snapshot()
    finally:
        torch.cuda.memory._record_memory_history(enabled=None)
    assert tensor.nbytes
    for html in (trace_plot(snapshot), segment_plot(snapshot)):
        assert "MemoryViz" in html


def test_ids_of_pools_grow() -> None:
    """TestMemPool.test_mempool_id"""
    handle, pool = torch.cuda.graph_pool_handle(), torch.cuda.MemPool()
    assert handle[0] == pool.id[0] == 0
    assert pool.id[1] > handle[1]


def test_requests_of_1_mib_share_segments_of_2_mib_in_a_pool() -> None:
    """TestMemPool.test_mempool_with_allocator"""
    pool = torch.cuda.MemPool()
    tensors, segments = [], []
    with torch.cuda.use_mem_pool(pool):
        for _ in range(3):
            tensors.append(empty(MIB))
            segments.append(len(pool.snapshot()))
    assert segments == [1, 1, 2]


def test_a_pool_is_in_use_while_something_allocates_from_it() -> None:
    """TestMemPool.test_mempool_with_allocator"""
    pool = torch.cuda.MemPool()
    counts = [pool.use_count()]
    with torch.cuda.use_mem_pool(pool):
        counts.append(pool.use_count())
    assert [*counts, pool.use_count()] == [1, 2, 1]


def test_memory_of_a_pool_is_not_given_to_others() -> None:
    """TestMemPool.test_mempool_multithread, and the snapshot's segment_pool_id"""
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        tensor = empty(3 * MIB)
    address = tensor.data_ptr()
    del tensor
    assert empty(3 * MIB).data_ptr() != address
    with torch.cuda.use_mem_pool(pool):
        assert empty(3 * MIB).data_ptr() == address
    assert {one["segment_pool_id"] for one in torch.cuda.memory_snapshot()} == {(0, 0), pool.id}


def test_pinned_memory_is_used_again_after_it_was_deleted() -> None:
    """TestCuda.test_caching_pinned_memory"""
    tensor = torch.tensor([1.0]).pin_memory()
    address = tensor.data_ptr()
    del tensor
    assert torch.tensor([1.0]).pin_memory().data_ptr() == address


def test_pinned_memory_is_counted_by_powers_of_two() -> None:
    """TestCuda.test_host_memory_stats"""
    tensors = [torch.empty(count * 1024, pin_memory=True) for count in (10, 20)]
    assert all(tensor.is_pinned() for tensor in tensors)
    stats = torch.cuda.host_memory_stats()
    for key in ("allocated_bytes", "active_bytes"):
        for suffix in ("allocated", "current", "peak"):
            assert stats[f"{key}.{suffix}"] == (16 + 32) * 1024 * 4, (key, suffix)
    assert stats["num_host_alloc"] == stats["active_requests.current"] == 2


def test_a_view_of_pinned_memory_is_pinned() -> None:
    """TestCuda.test_copy_non_blocking"""
    base = torch.zeros(10_000_000, dtype=torch.uint8).pin_memory()
    view = base[1:]
    assert base.is_pinned() and view.is_pinned()
    assert view.data_ptr() == base.data_ptr() + 1


def test_a_transposed_tensor_can_be_pinned() -> None:
    """TestCuda.test_noncontiguous_pinned_memory"""
    tensor = torch.arange(10).view(2, 5).t()
    assert torch.equal(tensor.pin_memory(), tensor)


def test_registered_memory_is_pinned_until_it_is_unregistered() -> None:
    """TestCuda.test_cudart_register"""
    tensor, cudart = torch.ones(20), torch.cuda.cudart()
    assert not tensor.is_pinned()
    assert cudart.cudaHostRegister(tensor.data_ptr(), tensor.nbytes, 0) == 0
    assert tensor.is_pinned()
    assert cudart.cudaHostUnregister(tensor.data_ptr()) == 0
    assert not tensor.is_pinned()


def test_memory_that_threads_registered_is_pinned() -> None:
    """TestCuda.test_pinned_memory_with_cudaregister"""
    settings = "pinned_use_cuda_host_register:True,pinned_num_register_threads:8"
    code = f"""
import torch
torch._C._accelerator_setAllocatorSettings({settings!r})
print(torch.ones(20).is_pinned(), *[torch.ones(n).pin_memory().is_pinned() for n in (2**21, 2**24)])
"""
    assert run(code) == "False True True"


def test_background_threads_end_with_the_process() -> None:
    """TestCuda.test_pinned_memory_use_background_threads"""
    code = """
import torch
torch._C._accelerator_setAllocatorSettings("pinned_use_background_threads:True")
print(torch.ones(2**20, pin_memory=True).is_pinned())
"""
    assert run(code) == "True"


@pytest.mark.parametrize(
    ("config", "size"), [("", None), ("-1", None), (":128:8:64:16:32:32", 3 * MIB)]
)
def test_the_workspace_of_a_product_has_the_documented_size(config: str, size: int | None) -> None:
    """TestCuda.test_cublas_workspace_explicit_allocation

    The source adds what that test leaves out: compute capability 10.0 and 12.0 as 9.0.
    """
    code = f"""
import os, torch, warnings
warnings.simplefilter("ignore")
os.environ["CUBLAS_WORKSPACE_CONFIG"] = {config!r}
matrix = torch.empty(7, 7, device="cuda")
before = torch.cuda.memory_stats()["active_bytes.all.allocated"]
torch.matmul(matrix, matrix)
print(torch.cuda.memory_stats()["active_bytes.all.allocated"] - before)
"""
    large = torch.cuda.get_device_capability()[0] >= 9
    expected = size or (32 * MIB if large else 8 * MIB + 128 * 1024)
    assert abs(int(run(code)) - expected) < 512 * 1024

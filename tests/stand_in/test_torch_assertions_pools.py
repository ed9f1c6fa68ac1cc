"""What PyTorch's own tests assert about pools and pinned memory, asserted on the stand-in.

The docstrings name the tests in github.com/pytorch/pytorch that expect it: test/test_cuda.py and,
where they say so, test/test_cuda_multigpu.py. Nothing here depends on what a kernel computes.
"""

from __future__ import annotations

import pytest
import torch
from torch_assertions import MIB, empty, run

pytestmark = pytest.mark.usefixtures("empty_allocator")


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

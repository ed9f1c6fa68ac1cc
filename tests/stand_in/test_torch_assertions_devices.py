"""What PyTorch's own tests assert about devices and their guards, asserted on the stand-in.

The docstrings name the tests in github.com/pytorch/pytorch that expect it: test/test_cuda.py and,
where they say so, test/test_cuda_multigpu.py. Nothing here depends on what a kernel computes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
import torch
from torch_assertions import run, two_devices


@pytest.fixture(autouse=True)
def device_0() -> Iterator[None]:
    """Every test ends on device 0."""
    yield
    torch.cuda.set_device(0)


@pytest.mark.parametrize("ask", ["get_device_name", "get_device_capability"])
def test_without_a_device_the_current_one_is_meant(ask: str) -> None:
    """TestCuda.test_cuda_get_device_name, TestCuda.test_cuda_get_device_capability"""
    function = getattr(torch.cuda, ask)
    assert function() == function(None) == function(torch.cuda.current_device())


def test_properties_without_a_device_are_those_of_the_current_one() -> None:
    """TestCuda.test_cuda_get_device_properties"""
    found = [torch.cuda.get_device_properties(*one) for one in ((), (None,), (0,))]
    assert len({str(one) for one in found}) == 1


def test_a_uuid_has_16_bytes_and_36_characters() -> None:
    """TestCuda.test_uuid"""
    uuid = torch.cuda.get_device_properties(0).uuid
    assert (len(str(uuid)), len(uuid.bytes)) == (36, 16)


def test_error_2_is_out_of_memory_and_0_is_none() -> None:
    """TestCuda.test_check_error"""
    torch.cuda.check_error(0)
    with pytest.raises(torch.cuda.CudaError, match="out of memory"):
        torch.cuda.check_error(2)


def test_a_name_without_a_colon_is_no_device() -> None:
    """TestCuda.test_get_device_index, TestCuda.test_specify_improper_device_name"""
    from torch.cuda._utils import _get_device_index

    with pytest.raises(RuntimeError, match="Invalid device string"):
        _get_device_index("cuda0", optional=True)
    with pytest.raises(ValueError, match="Expected a cuda device"):
        _get_device_index(torch.device("cpu"), optional=True)
    file = io.BytesIO()
    torch.save(torch.zeros(2), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="Invalid device string"):
        torch.load(file, "cuda0")


@pytest.mark.parametrize("device", [None, "cuda", "cuda:0", 0, torch.device("cuda:0")])
def test_every_way_to_name_a_device_can_be_waited_for(device: object) -> None:
    """TestCudaMultiGPU.test_cuda_synchronize, in test_cuda_multigpu.py"""
    torch.cuda.synchronize(device)


@pytest.mark.parametrize("device", ["cpu", torch.device("cpu")])
def test_the_cpu_cannot_be_waited_for(device: object) -> None:
    """TestCudaMultiGPU.test_cuda_synchronize, in test_cuda_multigpu.py"""
    with pytest.raises(ValueError, match="Expected a cuda device, but"):
        torch.cuda.synchronize(device)


def test_no_index_leaves_the_device_as_it_is() -> None:
    """TestCuda.test_device_context_manager"""
    with torch.accelerator.device_index(None):
        assert torch.cuda.current_device() == 0
    assert torch.cuda.current_device() == 0


@two_devices
def test_a_guard_restores_the_device() -> None:
    """TestCuda.test_multi_device_context_manager"""
    with torch.accelerator.device_index(1):
        assert torch.cuda.current_device() == 1
    assert torch.cuda.current_device() == 0


@two_devices
def test_guards_nest_and_negative_indexes_do_nothing() -> None:
    """TestCudaMultiGPU.test_cuda_set_device, in test_cuda_multigpu.py"""
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1
        torch.cuda.set_device(0)
        assert torch.cuda.current_device() == 0
        with torch.cuda.device(1):
            assert torch.cuda.current_device() == 1
        assert torch.cuda.current_device() == 0
        with torch.cuda.device(-1):
            assert torch.cuda.current_device() == 0
    assert torch.cuda.current_device() == 0


@two_devices
def test_a_guard_restores_the_device_after_an_error() -> None:
    """TestCuda.test_multi_device_context_manager, with an exception inside"""
    with pytest.raises(ZeroDivisionError), torch.cuda.device(1):
        raise ZeroDivisionError
    assert torch.cuda.current_device() == 0


@two_devices
def test_results_stay_where_the_operands_are() -> None:
    """TestCudaMultiGPU.test_autogpu, in test_cuda_multigpu.py"""
    x, y = torch.zeros(5, 5).cuda(), torch.zeros(5, 5).cuda()
    with torch.cuda.device(1):
        z = torch.zeros(5, 5).cuda()
        assert [one.get_device() for one in (z, x.add(y), y.cuda())] == [1, 0, 1]
        assert torch.cat([x, y]).get_device() == 0
    assert z.cuda().get_device() == 0


@two_devices
def test_new_follows_the_tensor_unless_a_device_is_named() -> None:
    """TestCudaMultiGPU.test_new, in test_cuda_multigpu.py"""
    x = torch.zeros(3, 3).cuda()
    for device in (0, 1):
        with torch.cuda.device(device):
            assert x.new([0, 1, 2]).get_device() == 0
            assert x.new([0, 1, 2], device=1).get_device() == 1


@two_devices
def test_a_tensor_that_is_there_is_not_copied() -> None:
    """TestCudaMultiGPU.test_copy_device, in test_cuda_multigpu.py"""
    for x in (torch.zeros(5, 5).cuda(), torch.zeros(5, 5)):
        with torch.cuda.device(1):
            y = x.cuda()
            z = y.cuda(0)
            assert (y.get_device(), z.get_device()) == (1, 0)
            assert y.cuda() is y and z.cuda(0) is z


@two_devices
def test_constructors_follow_the_current_device() -> None:
    """TestCudaMultiGPU.test_tensor_device, in test_cuda_multigpu.py"""
    tensor = torch.cuda.FloatTensor
    assert [tensor(1).get_device(), tensor(1, device=1).get_device()] == [0, 1]
    with torch.cuda.device(1):
        found = [tensor(1), tensor(1, device=0), tensor(1, device=None)]
        assert [one.get_device() for one in found] == [1, 0, 1]


@two_devices
def test_operands_on_two_devices_are_an_error() -> None:
    """TestCudaMultiGPU.test_cat_bad_two_gpus and others, in test_cuda_multigpu.py"""
    x, y = torch.zeros(2, 3, device="cuda:0"), torch.zeros(4, 3, device="cuda:1")
    says = "Expected all tensors to be on the same device"
    with pytest.raises(RuntimeError, match=says):
        torch.cat([x, y])
    with pytest.raises(RuntimeError, match=says):
        x + y[:2]


def test_types_name_device_and_dtype() -> None:
    """TestCuda.test_type_conversions"""
    x = torch.zeros(5, 5)
    assert isinstance(x.cuda().double(), torch.cuda.DoubleTensor)
    assert isinstance(x.cuda().float().cpu().int(), torch.IntTensor)
    assert isinstance(x.storage().cuda().float(), torch.cuda.FloatStorage)


def test_a_saved_tensor_comes_back_to_its_device() -> None:
    """TestCuda.test_serialization_array_with_storage, test_serialization_array_with_empty"""
    x = torch.ones(5, 5).cuda()
    file = io.BytesIO()
    torch.save([x, x, torch.cuda.FloatTensor()], file)
    file.seek(0)
    first, second, nothing = torch.load(file)
    assert first.device == nothing.device == x.device
    assert first.data_ptr() == second.data_ptr() and torch.equal(first.cpu(), x.cpu())


def test_a_saved_tensor_of_a_missing_device_says_so() -> None:
    """TestCudaMultiGPU.test_load_nonexistent_device, in test_cuda_multigpu.py"""
    file = io.BytesIO()
    torch.save(torch.ones(2, device="cuda"), file)
    altered = io.BytesIO(file.getvalue().replace(b"cuda:0", b"cuda:9"))
    with pytest.raises(RuntimeError, match=r"Attempting to deserialize object on CUDA device 9"):
        torch.load(altered)


@two_devices
def test_a_saved_tensor_can_be_mapped_to_another_device() -> None:
    """TestCudaMultiGPU.test_multigpu_serialization_remap, in test_cuda_multigpu.py"""
    file = io.BytesIO()
    torch.save([torch.ones(4, device="cuda:0"), torch.ones(4, device="cuda:1")], file)
    file.seek(0)
    moved = torch.load(file, map_location={"cuda:1": "cuda:0"})
    assert [one.get_device() for one in moved] == [0, 0]


def test_the_seed_is_that_of_every_device() -> None:
    """TestCuda.test_torch_manual_seed_seeds_cuda_devices"""
    torch.manual_seed(2)
    for device in range(torch.cuda.device_count()):
        with torch.cuda.device(device):
            assert torch.cuda.initial_seed() == 2
    torch.cuda.manual_seed(3)
    assert torch.cuda.initial_seed() == 3


def test_the_state_of_the_generators_can_be_kept_and_restored() -> None:
    """TestCudaMultiGPU.test_get_set_rng_state_all, test_rng_state_offset (test_cuda_multigpu.py)"""
    states = torch.cuda.get_rng_state_all()
    assert len(states) == torch.cuda.device_count()
    torch.cuda._set_rng_state_offset(100)
    assert torch.cuda._get_rng_state_offset() == 100
    torch.cuda.set_rng_state_all(states)
    assert torch.equal(torch.cuda.get_rng_state(), states[0])


@pytest.mark.parametrize("device", [0, "cuda", "cuda:0", torch.device("cuda")])
def test_free_memory_falls_by_what_a_segment_takes(device: object) -> None:
    """TestCudaMultiGPU.test_mem_get_info, in test_cuda_multigpu.py"""
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info(device)
    tensor = torch.empty(32 * 2**20, dtype=torch.uint8, device=device)
    after = torch.cuda.mem_get_info(device)
    assert after == (free - tensor.nbytes, total)
    del tensor
    torch.cuda.empty_cache()


@pytest.mark.parametrize(("visible", "count"), [("0", 1), ("-1", 0), ("", 0)])
def test_visible_devices_are_counted(visible: str, count: int) -> None:
    """TestCuda.test_device_count_not_cached_pre_init, and the same by CUDA itself"""
    code = "import torch; print(torch.cuda.device_count(), torch.cuda.is_available())"
    assert run(code, CUDA_VISIBLE_DEVICES=visible) == f"{count} {count > 0}"


def test_a_change_of_visible_devices_counts_until_cuda_is_initialized() -> None:
    """TestCuda.test_device_count_not_cached_pre_init"""
    code = """
import os, torch
first = torch.cuda.device_count()
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
second = torch.cuda.device_count()
torch.zeros(1, device="cuda")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
print(first, second, torch.cuda.device_count())
"""
    first, second, third = map(int, run(code).split())
    assert (first, second, third) == (torch.cuda.device_count(), 1, 1)


def test_counting_devices_does_not_initialize_cuda() -> None:
    """TestCuda.test_lazy_init, and _lazy_init's own words on forked processes"""
    code = """
import os, torch
before = torch.cuda.is_initialized()
torch.cuda.device_count()
counted = torch.cuda.is_initialized()
torch.zeros(1, device="cuda")
print(before, counted, torch.cuda.is_initialized(), flush=True)
child = os.fork()
if not child:
    try:
        torch.zeros(1, device="cuda")
    except RuntimeError as error:
        print(str(error)[:49], flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    initialized, says = run(code).split("\n")
    assert initialized == "False False True"
    assert says == "Cannot re-initialize CUDA in forked subprocess. T"


def test_first_use_does_not_import_triton() -> None:
    """TestBlockStateAbsorption.test_no_triton_on_import"""
    code = "import sys, torch; torch.zeros(2, device='cuda'); print('triton' in sys.modules)"
    assert run(code) == "False"

"""The stand-in's runtime, call by call: what CUDA's documentation says that a call answers."""

from __future__ import annotations

import pytest
from stand_in_calls import CALLS, said


def test_a_machine_is_what_it_is_told_to_be(run_on):
    code = """
import torch
p = torch.cuda.get_device_properties(1)
print([torch.cuda.device_count(), p.name, p.total_memory // 2**20, p.multi_processor_count,
       torch.cuda.get_device_capability(1), p.max_threads_per_multi_processor, str(p.uuid)])
"""
    card = {"name": "NVIDIA Card", "memory_mib": 14930, "capability": "7.5", "multiprocessors": 40}
    count, name, memory, multiprocessors, capability, threads, uuid = said(
        run_on(code, count=2, **card)
    )
    assert (count, name, memory, multiprocessors) == (2, "NVIDIA Card", 14930, 40)
    # The guide to CUDA C++ lists 1024 threads for 7.5, and 1536 or 2048 for those after it.
    assert capability == (7, 5) and threads == 1024
    assert uuid.startswith("a1"), "the second device"


def test_events_have_times_where_cuda_gives_them_one(run_on):
    code = f"""{CALLS}
cuda.cudaSetDevice(0)
def event(flags=0): return handle(cuda.cudaEventCreateWithFlags, flags)
def elapsed(a, b):
    time = ctypes.c_float(-1)
    error = cuda.cudaEventElapsedTime(ctypes.byref(time), a, b)
    return time.value >= 0 if error == 0 else error
a, b, untimed, never = event(), event(), event(2), event()
for one in (a, b, untimed):
    assert cuda.cudaEventRecord(one, None) == 0
cuda.cudaSetDevice(1)
elsewhere = event()
result = [elapsed(a, b), elapsed(a, untimed), elapsed(a, never)]
result += [cuda.cudaEventRecord(elsewhere, None), elapsed(a, elsewhere)]
result.append(cuda.cudaEventRecord(a, None))        # an event of device 0 on a stream of device 1
result += [cuda.cudaEventQuery(never), cuda.cudaEventSynchronize(b), cuda.cudaEventDestroy(b)]
result.append(handle(cuda.cudaStreamCreateWithFlags, 1) is not None)
print(result)
"""
    assert said(run_on(code, count=2)) == [True, 400, 400, 0, 400, 400, 0, 0, 0, True]


def test_streams_belong_to_a_device_and_end(run_on):
    code = f"""{CALLS}
class Dim(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]
def launch(stream, grid=Dim(1, 1, 1), block=Dim(32, 1, 1)):
    return cuda.cudaLaunchKernel(None, grid, block, None, ctypes.c_size_t(0), stream)
def priority(wanted):
    stream = handle(cuda.cudaStreamCreateWithPriority, 1, wanted)
    found = ctypes.c_int()
    assert cuda.cudaStreamGetPriority(stream, ctypes.byref(found)) == 0
    return found.value
cuda.cudaSetDevice(0)
stream = handle(cuda.cudaStreamCreateWithFlags, 1)
result = [launch(stream), launch(None), priority(-2), priority(-99), priority(3)]
cuda.cudaSetDevice(1)
result += [launch(stream), launch(None)]
cuda.cudaSetDevice(0)
result += [launch(None, block=Dim(1025, 1, 1)), launch(None, grid=Dim(0, 1, 1))]
result += [cuda.cudaStreamDestroy(stream), cuda.cudaStreamQuery(stream), launch(stream)]
print(result)
"""
    assert said(run_on(code, count=2)) == [0, 0, -2, -5, 0, 400, 0, 9, 9, 0, 400, 400]


def test_peers_are_enabled_once(run_on):
    code = f"""{CALLS}
cuda.cudaSetDevice(0)
result = [integer(cuda.cudaDeviceCanAccessPeer, 0, 1), integer(cuda.cudaDeviceCanAccessPeer, 0, 0)]
result += [cuda.cudaDeviceEnablePeerAccess(1, 0), cuda.cudaDeviceEnablePeerAccess(1, 0)]
result += [cuda.cudaDeviceEnablePeerAccess(0, 0), cuda.cudaDeviceEnablePeerAccess(2, 0)]
print(result + [cuda.cudaSetDevice(2), integer(cuda.cudaGetDevice)])
"""
    assert said(run_on(code, count=2)) == [1, 0, 0, 704, 101, 101, 101, 0]


def test_cuda_does_not_survive_a_fork(run_on):
    code = f"""{CALLS}
import sys
def in_child():
    sys.stdout.flush()
    if (child := os.fork()) == 0:
        os._exit(cuda.cudaSetDevice(0))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
result = [in_child()]
cuda.cudaSetDevice(0)
print([*result, in_child(), cuda.cudaSetDevice(0)])
"""
    assert said(run_on(code)) == [0, 3, 0]


def test_a_call_that_is_not_there_says_its_name_and_fails(run_on):
    code = f"""{CALLS}
result = [cuda.cudaIpcGetMemHandle(None, None), cuda.cudaGetLastError()]
print([*result, driver.cuLinkComplete(None)])
"""
    done = run_on(code)
    assert said(done) == [801, 801, 801]
    for name in ("cudaIpcGetMemHandle", "cuLinkComplete"):
        assert f"stand-in: {name} is a call that the stand-in GPU does not answer" in done.stderr


def test_a_product_takes_the_workspace_that_pytorch_allocates(run_on):
    code = """
import torch
x = torch.ones(64, 64, device="cuda")
before = torch.cuda.memory_allocated()
y = x @ x
print([torch.cuda.memory_allocated() - before - y.nbytes >= 0, tuple(y.shape)])
"""
    assert said(run_on(code)) == [True, (64, 64)]


def test_error_texts_are_those_of_nvidias_runtime(run_on):
    code = f"""{CALLS}
cuda.cudaGetErrorName.restype = ctypes.c_char_p
print([[cuda.cudaGetErrorName(code).decode(), cuda.cudaGetErrorString(code).decode()]
       for code in (0, 2, 35, 209, 700, 710, 802, 999, 12345)])
"""
    words = dict(said(run_on(code)))
    assert len(words) == 9
    assert words["cudaErrorIllegalAddress"] == "an illegal memory access was encountered"
    assert words["cudaErrorAssert"] == "device-side assert triggered"
    assert words["cudaErrorSystemNotReady"] == "system not yet initialized"
    assert words["unrecognized error code"] == "unrecognized error code"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("STAND_IN_COUNT", "many", "STAND_IN_COUNT=many is not a whole number from 0 to 16"),
        ("STAND_IN_MIB", "10", "STAND_IN_MIB=10 is not a whole number from 1024 to"),
        ("STAND_IN_CAPABILITY", "9", "STAND_IN_CAPABILITY=9 is not like 8.9"),
        ("STAND_IN_FAULT", "malloc", "STAND_IN_FAULT: malloc: write KIND=ERROR"),
        ("STAND_IN_FAULT", "launch=700,sync=2", "STAND_IN_FAULT: sync=2: write KIND=ERROR"),
        ("STAND_IN_FAULT", "malloc=2@5..3", "STAND_IN_FAULT: malloc=2@5..3: write"),
        ("STAND_IN_FAULT", "malloc=2@0", "STAND_IN_FAULT: malloc=2@0: write"),
        ("STAND_IN_FAULT", "malloc=2x", "STAND_IN_FAULT: malloc=2x: write"),
    ],
)
def test_a_setting_that_makes_no_sense_ends_the_process_with_a_sentence(
    environment, run_on, name, value, says
):
    from gpu_guide.problems import GuideError

    with pytest.raises(GuideError, match="a process cannot load the stand-in") as refused:
        run_on("print()", **{name: value})
    assert f"stand-in: {says}" in str(refused.value)


def test_the_log_names_allocations(run_on):
    done = run_on(f"{CALLS}\nmalloc(5)", STAND_IN_LOG=1)
    assert "stand-in: cudaMalloc of 5 bytes on device 0: cudaSuccess" in done.stderr

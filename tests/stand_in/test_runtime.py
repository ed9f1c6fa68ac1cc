"""The stand-in's runtime, call by call: what CUDA's documentation says that a call answers."""

from __future__ import annotations

import ast
import json
import os
import random
import re

import pytest

from gpu_guide.pictures.visible_devices import read

torch = pytest.importorskip("torch")

CALLS = """
import ctypes, json, os
cuda, driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")
cuda.cudaGetErrorString.restype = ctypes.c_char_p
MIB = 2**20

def integer(call, *behind):
    value = ctypes.c_int(-1)
    error = call(ctypes.byref(value), *behind)
    return value.value if error == 0 else f"error {error}"

def handle(call, *behind):
    value = ctypes.c_void_p()
    error = call(ctypes.byref(value), *behind)
    assert error == 0, error
    return value

def malloc(size):
    pointer = ctypes.c_void_p()
    return cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)), pointer

def free():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    assert cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)) == 0
    return free.value / MIB
"""


def said(done) -> object:
    """What the code printed, as Python wrote it."""
    assert done.returncode == 0, done.stderr
    return ast.literal_eval(done.stdout)


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


UUIDS = [f"GPU-a{device}737461-6e64-2d69-6e20-475055202020" for device in range(4)]
VISIBLE = {
    None: [0, 1, 2, 3],
    "": [],
    "-1": [],
    "2": [2],
    "3,0": [3, 0],
    " 1 , 2": [1, 2],
    "1,-1,2": [1],
    "0,7,1": [0],
    "1,1": [],
    "0,1,0": [],
    "1gpu,2": [1, 2],
    "gpu1": [],
    "GPU-a2": [2],
    "GPU-a1737461-6e64-2d69-6e20-475055202020,GPU-a3": [1, 3],
    "GPU-a": [],
    "GPU-a0,GPU-ff,GPU-a1": [0],
    "GPU-a1,GPU-a1": [],
}


@pytest.mark.parametrize(("value", "devices"), VISIBLE.items())
def test_visible_devices_are_chosen_as_cuda_chooses_them(run_on, monkeypatch, value, devices):
    code = f"""{CALLS}
count = integer(cuda.cudaGetDeviceCount)
bus = ctypes.create_string_buffer(20)
found = []
for device in range(count if isinstance(count, int) else 0):
    assert cuda.cudaDeviceGetPCIBusId(bus, 20, device) == 0
    found.append(int(bus.value[5:7], 16) - 1)
print([count, found])
"""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    settings = {} if value is None else {"CUDA_VISIBLE_DEVICES": value}
    count, found = said(run_on(code, count=4, **settings))
    assert found == devices
    assert count == (len(devices) or "error 100")
    assert read(value, UUIDS).seen == devices


@pytest.mark.parametrize(("value", "devices"), VISIBLE.items())
def test_visible_devices_are_those_that_pytorch_counts_itself(monkeypatch, value, devices):
    """PyTorch reads CUDA_VISIBLE_DEVICES once more, in Python, to count devices without CUDA."""
    if value is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    monkeypatch.setattr(torch.cuda, "_raw_device_count_nvml", lambda: 4)
    monkeypatch.setattr(torch.cuda, "_raw_device_uuid_nvml", lambda: UUIDS)
    assert torch.cuda._device_count_nvml() == len(devices)


def test_random_values_are_read_by_pytorch_and_by_the_driver_as_the_model_reads_them(run_on):
    """Of a list that has ended, the driver reads no more, but PyTorch looks for repetitions: values
    with both are left out, because NVIDIA's documentation names no rule for them."""
    rng = random.Random(3)
    values = []
    while len(values) < 150:
        entries = rng.choices([" 0", "1", "2", "3", "7", "-1", "x"], k=rng.randint(1, 4))
        if rng.random() < 0.5:
            entries = [f"GPU-a{rng.randrange(6)}" for _ in entries]
        value = ",".join(entries)
        ended = re.search(r"[7x]|-1|a[45]", value)
        if not ended or "again" not in {entry.fate for entry in read(value, UUIDS).entries}:
            values.append(value)
    code = f"""{CALLS}
import sys, torch
for value in {values!r}:
    sys.stdout.flush()
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        continue
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    counted = torch.cuda.device_count()
    devices = integer(cuda.cudaGetDeviceCount)
    bus = ctypes.create_string_buffer(20)
    found = []
    for device in range(devices if isinstance(devices, int) else 0):
        assert cuda.cudaDeviceGetPCIBusId(bus, 20, device) == 0
        found.append(int(bus.value[5:7], 16) - 1)
    print([counted, found], flush=True)
    os._exit(0)
"""
    done = run_on(code, count=4)
    assert done.returncode == 0, done.stderr
    seen = [ast.literal_eval(line) for line in done.stdout.splitlines()]
    wanted = [[reading.count, reading.seen] for reading in (read(v, UUIDS) for v in values)]
    assert dict(zip(values, seen, strict=True)) == dict(zip(values, wanted, strict=True))


def test_memory_is_counted_refused_and_given_back(run_on):
    code = f"""{CALLS}
result = []
cuda.cudaSetDevice(0)
result.append(free())
error, a = malloc(100)
result.append([error, free()])
error, b = malloc(3500 * MIB)
result.append([error, free()])
error, c = malloc(100 * MIB)
result.append([error, c.value, cuda.cudaGetErrorString(error).decode()])
result.append([cuda.cudaGetLastError(), cuda.cudaGetLastError()])
result.append([cuda.cudaFree(b), free()])
result.append([cuda.cudaFree(b), cuda.cudaFree(ctypes.c_void_p(4096)), cuda.cudaFree(None)])
result.append(malloc(0)[0])
result.append(cuda.cudaFree(ctypes.c_void_p(a.value + 8)))
print(result)
"""
    assert said(run_on(code)) == [
        3584.0,  # 4096 without the context's 512
        [0, 3582.0],  # a page of 2 MiB is the least
        [0, 82.0],
        [2, None, "out of memory"],
        [2, 0],
        [0, 3582.0],
        [1, 1, 0],
        0,
        1,  # inside a block, but not where it begins
    ]


def test_zeros_take_no_memory_of_the_host_and_end_where_they_should(run_on):
    code = """
size = 2**29
error, whole = malloc(size)
def fill(start, value, bytes):
    at = ctypes.c_void_p(whole.value + start)
    assert cuda.cudaMemset(at, value, ctypes.c_size_t(bytes)) == 0
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB
before = resident()
fill(0, 0, size)
small = resident() - before < 64
fill(0, 7, 16 * MIB)
fill(5, 0, 9 * MIB)
found = ctypes.string_at(whole.value, 16 * MIB)
print([small, found == b"\\7" * 5 + bytes(9 * MIB) + b"\\7" * (7 * MIB - 5)])
"""
    assert said(run_on(CALLS + code)) == [True, True]


def test_a_context_takes_memory_on_its_own_device_once(run_on):
    code = f"""{CALLS}
nvml = ctypes.CDLL("libnvidia-ml.so.1")
class Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu", ctypes.c_uint),
                ("compute", ctypes.c_uint)]
def used(device):
    processes, count = (Process * 2)(), ctypes.c_uint(2)
    card = handle(lambda out, number: nvml.nvmlDeviceGetHandleByIndex_v2(number, out), device)
    assert nvml.nvmlDeviceGetComputeRunningProcesses(card, ctypes.byref(count), processes) == 0
    return [[p.pid == os.getpid(), p.used // MIB] for p in processes[: count.value]]
integer(cuda.cudaGetDeviceCount)
result = [used(0), used(1)]
for device in (1, 1):
    cuda.cudaSetDevice(device)
    result += [used(0), used(1)]
print(result)
"""
    assert said(run_on(code, count=2)) == [[], [], [], [[True, 512]], [], [[True, 512]]]


def test_virtual_memory_is_reserved_mapped_and_keeps_its_bytes(run_on):
    code = f"""{CALLS}
cuda.cudaSetDevice(0)
class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]
class Properties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location),
                ("windows", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]
class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]
on_device = Location(1, 0)
properties = Properties(1, 0, on_device, None)
def size(mib): return ctypes.c_size_t(mib * MIB)
def reserve(mib): return handle(driver.cuMemAddressReserve, size(mib), size(0), None, 0)
def create(mib): return handle(driver.cuMemCreate, size(mib), ctypes.byref(properties), 0)
def access(where, mib, flags=3):
    return driver.cuMemSetAccess(where, size(mib), ctypes.byref(Access(on_device, flags)), 1)
def behind(where, mib): return ctypes.c_void_p(where.value + mib * MIB)
result = [integer(driver.cuMemGetAllocationGranularity, ctypes.byref(properties), 0) == 2 * MIB]
whole = free()
a, b = reserve(64), reserve(64)
result.append(whole - free())                                # addresses alone take nothing
memory = create(20)
result.append(whole - free())
result.append([driver.cuMemMap(a, size(20), size(0), memory, 0), access(a, 20)])
ctypes.memset(behind(a, 19), 7, 5)
result.append(driver.cuMemMap(behind(a, 10), size(20), size(0), memory, 0))      # mapped already
result.append(driver.cuMemUnmap(a, size(20)))
result.append([driver.cuMemMap(behind(b, 44), size(20), size(0), memory, 0),
               access(behind(b, 44), 20)])
result.append(ctypes.string_at(behind(b, 63).value, 5))
result.append([driver.cuMemRelease(memory), whole - free()])              # its mapping holds it
result.append([driver.cuMemAddressFree(b, size(64))])                     # still mapped
result.append([driver.cuMemUnmap(behind(b, 44), size(20)), whole - free()])
result.append([driver.cuMemUnmap(behind(b, 44), size(20)), driver.cuMemRelease(memory)])
result.append([driver.cuMemAddressFree(a, size(64)), driver.cuMemAddressFree(b, size(64))])
result.append(driver.cuMemCreate(ctypes.byref(memory), size(1), ctypes.byref(properties), 0))
result.append(driver.cuMemCreate(ctypes.byref(memory), size(8192), ctypes.byref(properties), 0))
print(result)
"""
    assert said(run_on(code)) == [
        True,
        0.0,
        20.0,
        [0, 0],
        1,
        0,
        [0, 0],
        b"\7" * 5,
        [0, 20.0],
        [1],
        [0, 0.0],
        [1, 1],
        [0, 0],
        1,  # not whole pages
        2,
    ]


def test_what_is_not_mapped_cannot_be_read(run_on):
    code = f"""{CALLS}
cuda.cudaSetDevice(0)
where = handle(driver.cuMemAddressReserve, ctypes.c_size_t(2 * MIB), ctypes.c_size_t(0), None, 0)
print("reserved", flush=True)
ctypes.string_at(where.value, 1)
"""
    done = run_on(code)
    assert done.stdout == "reserved\n" and done.returncode < 0


def test_expandable_segments_are_pytorchs_own(run_on):
    code = """
import torch
MIB = 2**20
small = [torch.empty(40 * MIB, dtype=torch.uint8, device="cuda") for _ in range(8)]
first = small[0].data_ptr()
del small
large = torch.empty(320 * MIB, dtype=torch.uint8, device="cuda")
(segment,) = torch.cuda.memory_snapshot()
free = torch.cuda.mem_get_info()[0] // MIB
result = [segment["is_expandable"], segment["total_size"] // MIB, large.data_ptr() == first, free]
large.fill_(3)
del large
torch.cuda.empty_cache()
print([*result, torch.cuda.memory_reserved(), torch.cuda.mem_get_info()[0] // MIB])
"""
    done = run_on(code, PYTORCH_ALLOC_CONF="expandable_segments:True")
    assert said(done) == [True, 320, True, 3264, 0, 3584]


def test_pools_keep_memory_until_they_are_trimmed(run_on):
    code = """
import torch
MIB = 2**20
x = torch.empty(100 * MIB, dtype=torch.uint8, device="cuda")
result = [torch.cuda.get_allocator_backend(), torch.cuda.mem_get_info()[0] // MIB]
del x
result += [torch.cuda.memory_allocated() // MIB, torch.cuda.mem_get_info()[0] // MIB]
torch.cuda.empty_cache()
print([*result, torch.cuda.mem_get_info()[0] // MIB])
"""
    done = run_on(code, PYTORCH_ALLOC_CONF="backend:cudaMallocAsync")
    assert said(done) == ["cudaMallocAsync", 3484, 0, 3484, 3584]


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


def test_pinned_memory_is_known_and_takes_no_device_memory(run_on):
    code = """
import torch
before = torch.cuda.mem_get_info()[0]
x = torch.ones(2**20).pin_memory()
y = torch.ones(2**20)
result = [x.is_pinned(), y.is_pinned(), before - torch.cuda.mem_get_info()[0]]
z = x.to("cuda", non_blocking=True)
result.append((z.cpu() == 1).all().item())
cudart = torch.cuda.cudart()
result.append(int(cudart.cudaHostRegister(y.data_ptr(), y.nbytes, 0)))
result.append([y.is_pinned(), int(cudart.cudaHostUnregister(y.data_ptr())), y.is_pinned()])
print(result)
"""
    assert said(run_on(code)) == [True, False, 0, True, 0, [True, 0, False]]


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
print([*result, driver.cuModuleLoad(None, b"")])
"""
    done = run_on(code)
    assert said(done) == [801, 801, 801]
    for name in ("cudaIpcGetMemHandle", "cuModuleLoad"):
        assert f"stand-in: {name} is a call that the stand-in GPU does not answer" in done.stderr


def test_cudnn_says_what_is_missing(run_on):
    code = """
import torch
x = torch.ones(1, 1, 4, 4, device="cuda")
print(torch.backends.cudnn.version() > 0)
torch.nn.functional.conv2d(x, x)
"""
    done = run_on(code)
    assert done.returncode == 1 and done.stdout == "True\n"
    assert "stand-in: cudnnCreate" in done.stderr and "CUDNN_STATUS_NOT_SUPPORTED" in done.stderr


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


def test_this_process_runs_on_the_machine_that_was_asked_for():
    assert torch.cuda.device_count() == int(os.environ["STAND_IN_COUNT"])
    assert json.dumps(torch.cuda.get_device_name()) == json.dumps(os.environ["STAND_IN_NAME"])

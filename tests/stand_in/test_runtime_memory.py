"""The stand-in's runtime, call by call: memory, pools and virtual addresses."""

from __future__ import annotations

from stand_in_calls import CALLS, said


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

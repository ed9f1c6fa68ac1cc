"""NCCL within one process, as DataParallel uses it; several need a folder for their messages."""

from __future__ import annotations

import pytest
from stand_in_calls import said

START = """
import os, torch
from torch.cuda import comm, nccl
def on(device, values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype).pin_memory().to(f"cuda:{device}")
"""


def test_a_tensor_is_sent_to_all_and_summed_again(run_on):
    code = f"""{START}
x = on(0, [1, 2, 3])
copies = comm.broadcast(x, [0, 1, 2])
result = [[str(one.device), one.tolist()] for one in copies]
result.append(comm.reduce_add(copies, destination=1).tolist())
gathered = [torch.empty(6, device=f"cuda:{{device}}") for device in (0, 1)]
nccl.all_gather([on(0, [1, 2, 3]), on(1, [4, 5, 6])], gathered)
result += [one.tolist() for one in gathered]
scattered = [torch.empty(1, device=f"cuda:{{device}}") for device in (0, 1)]
nccl.reduce_scatter([on(0, [1, 2]), on(1, [30, 40])], scattered)
print([*result, *[one.tolist() for one in scattered]])
"""
    assert said(run_on(code, count=3)) == [
        ["cuda:0", [1.0, 2.0, 3.0]],
        ["cuda:1", [1.0, 2.0, 3.0]],
        ["cuda:2", [1.0, 2.0, 3.0]],
        [3.0, 6.0, 9.0],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        [31.0],
        [42.0],
    ]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint8", "int64"])
def test_each_type_is_summed_as_itself(run_on, dtype):
    code = f"""{START}
parts = [on(device, [1, 100, 3], torch.{dtype}) for device in (0, 1)]
nccl.all_reduce(parts)
print([parts[0].tolist(), parts[1].tolist() == parts[0].tolist()])
"""
    hundreds = -56 if dtype == "int8" else 200
    assert said(run_on(code, count=2)) == [[2, hundreds, 6], True]


GROUP = """
import torch.distributed as dist
dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size={world},
                        device_id=torch.device("cuda:0"))
x = on(0, [1.0, 2.0])
dist.all_reduce(x)
dist.barrier()
print(x.tolist())
dist.destroy_process_group()
"""


def test_a_group_of_one_process_works_and_of_two_says_what_is_missing(run_on):
    assert said(run_on(START + GROUP.format(world=1))) == [1.0, 2.0]
    code = f"""{START}
import ctypes
libraries = ctypes.CDLL(None)
class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]
print(libraries.ncclCommInitRank(ctypes.byref(ctypes.c_void_p()), 2, Id(), 0))
"""
    done = run_on(code)
    assert said(done) == 5
    assert "stand-in: ncclCommInitRank of several processes is a call that" in done.stderr

"""Calls of the CUDA runtime through ctypes, and what the code that makes them prints."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable
from typing import Any

DryRun = Callable[..., tuple[int, dict[str, Any]]]
"""See the fixture `dry` of tests/stand_in."""
Run = Callable[..., subprocess.CompletedProcess[str]]
"""See the fixture `run_on` of tests/stand_in."""

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

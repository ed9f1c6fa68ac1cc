"""Kernels that are compiled while a program runs, on a stand-in GPU."""

from __future__ import annotations

from stand_in_calls import said

OUTER = """
import torch

column, row = torch.ones(2, 32, 1, device="cuda"), torch.ones(2, 1, 64, device="cuda")
print(list((column @ row).shape))
"""


def test_a_product_for_which_pytorch_has_a_triton_kernel_is_launched(run_on):
    # Since 2.13 an outer product is one; Triton asks for a clock before it launches.
    assert said(run_on(OUTER, capability="9.0", multiprocessors=132)) == [2, 32, 64]

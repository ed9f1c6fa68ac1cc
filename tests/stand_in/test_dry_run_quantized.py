"""Dry runs of quantized layers and 8-bit optimizers, whose kernels are another package's."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from stand_in_calls import DryRun

from gpu_guide.dry_run.command import FITS

LAYERS = 8
LINEAR = """
import bitsandbytes as bnb
import torch
from torch import nn

torch.manual_seed(0)
layers = [{layer} for _ in range(8)]
adapters = nn.ModuleList(nn.Linear(1024, 1024, bias=False) for _ in layers).cuda()
model = nn.ModuleList(layers).cuda()
optimizer = bnb.optim.{optimizer}(adapters.parameters())
for step in range(2):
    x = torch.randn(512, 1024, device="cuda", dtype={dtype}, requires_grad=True)
    for layer, adapter in zip(model, adapters):
        x = layer(x) + adapter(x.float()).to(x.dtype)
    x.float().square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
FOUR = (
    'bnb.nn.Linear4bit(1024, 1024, bias=False, quant_type="nf4", compress_statistics={double},'
    " compute_dtype=torch.bfloat16)"
)
EIGHT = "bnb.nn.Linear8bitLt(1024, 1024, bias=False, has_fp16_weights=False, threshold=6.0)"


@pytest.fixture
def bitsandbytes() -> None:
    """Only where that package is beside torch, or in a folder that PYTHONPATH names."""
    if find_spec("bitsandbytes") is None:
        pytest.skip("not installed: bitsandbytes")


@pytest.mark.usefixtures("bitsandbytes")
@pytest.mark.parametrize(
    ("layer", "dtype", "scales"),
    [
        (FOUR.format(double=False), "torch.bfloat16", 4 / 64),
        (FOUR.format(double=True), "torch.bfloat16", 1 / 64),
        (EIGHT, "torch.float16", 0),
    ],
)
def test_quantized_weights_take_what_their_bits_say(
    dry: DryRun, layer: str, dtype: str, scales: float
) -> None:
    code = LINEAR.format(layer=layer, dtype=dtype, optimizer="AdamW8bit")
    status, report = dry(code)
    assert status == FITS
    own, bits = 1024 * 1024, 8 if layer == EIGHT else 4
    quantized = own * bits // 8 + own * scales
    # Beside them lie tables, and the scales of scales.
    small = 1024 * 8
    least = LAYERS * (quantized + own * 4)
    assert least <= report["kinds"]["weights"] <= least + LAYERS * small
    # Two states of a byte, and a scale for 256 of them.
    states = 2 * LAYERS * own * (1 + 4 / 256)
    assert states <= report["kinds"]["optimizer"] <= states + LAYERS * small
    assert report["managed"] == 0


@pytest.mark.usefixtures("bitsandbytes")
def test_a_paged_optimizer_is_told_and_not_counted(dry: DryRun) -> None:
    code = LINEAR.format(layer=EIGHT, dtype="torch.float16", optimizer="PagedAdamW")
    _, report = dry(code)
    assert report["managed"] == 2 * LAYERS * 1024 * 1024 * 4
    assert report["kinds"].get("optimizer", 0) < 1024 * 1024


def test_what_a_weight_keeps_in_itself_counts_as_weights(dry: DryRun) -> None:
    code = """
    import torch

    class QuantState:
        pass

    model = torch.nn.Linear(1024, 1024, bias=False).cuda()
    model.weight.quant_state = state = QuantState()
    state.absmax = torch.ones(2**18, device="cuda")
    state.state2 = QuantState()
    state.state2.absmax = torch.ones(2**19, device="cuda")
    model.weight.SCB = torch.ones(2**20, device="cuda")
    model(torch.ones(1, 1024, device="cuda"))
    """
    _, report = dry(code)
    assert report["kinds"]["weights"] == 4 * (2**20 + 2**18 + 2**19 + 2**20)


def test_managed_memory_is_told_and_counts_for_no_device(dry: DryRun) -> None:
    code = """
    import ctypes
    import torch

    cuda = ctypes.CDLL("libcudart.so.13")
    class Location(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]

    torch.ones(1, device="cuda")
    free, _ = torch.cuda.mem_get_info()
    pointer, size = ctypes.c_void_p(), ctypes.c_size_t(2**30)
    assert cuda.cudaMallocManaged(ctypes.byref(pointer), size, 1) == 0
    ctypes.memset(pointer, 7, 16)
    assert cuda.cudaMemPrefetchAsync(pointer, size, Location(1, 0), 0, None) == 0
    assert torch.cuda.mem_get_info()[0] == free
    assert ctypes.string_at(pointer, 16) == b"\\7" * 16
    assert cuda.cudaFree(pointer) == 0
    assert cuda.cudaMemPrefetchAsync(pointer, size, Location(1, 0), 0, None) == 1
    """
    status, report = dry(code)
    assert status == FITS and report["managed"] == 2**30
    _, report = dry(code, as_json=False)
    assert "paged optimizers use, isn't counted: 1.00 GiB" in report["text"]

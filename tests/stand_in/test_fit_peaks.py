"""The formulas of memory/fit, against PyTorch's CUDA code: what a block keeps, and peaks of steps.

`fit_peaks.py` beside this file measures; what it found is in data/fit_peaks.yml, and on the page.
"""

from __future__ import annotations

import json
from importlib.metadata import version

import pytest
from fit_peaks import measured, said_by

from gpu_guide.data.models import load_peaks
from gpu_guide.project import HERE

KEPT = """
import itertools, json
from dataclasses import replace
import torch
from fit_model import choose_attention, kept, network
from gpu_guide.fit.model import Model
from gpu_guide.fit.terms import Setting, block
gated = Model(1, 512, 8, 2, 64, 1376, 96)
plain = replace(gated, key_heads=8, gated=False, layer_norm=True)
found = []
for model, task, precision, fused, everywhere in itertools.product(
    (gated, plain, replace(gated, head_norms=True)), ("full", "lora"),
    ("float32", "mixed", "bfloat16"), (True, False), (True, False),
):
    on = Setting(task, precision, batch=2, sequence=256, fused_attention=fused,
                 everywhere=everywhere, rank=8)
    choose_attention(on)
    with torch.device("cuda"):
        net = network(model, on).blocks[0]
        dtype = torch.float32 if on.width == 4 else torch.bfloat16
        x = torch.zeros(2, 256, 512, dtype=dtype, requires_grad=True)
    with torch.autocast("cuda", torch.bfloat16, enabled=on.auto):
        tensors = kept(net, x)
    size = sum(t.untyped_storage().nbytes() for t in tensors if t.is_cuda)
    casts = (model.linear if task == "full" else model.adapters(8, everywhere)) * on.auto
    # Autocast also copies the norms' weights of a bfloat16 base, which is next to nothing.
    norms = 2 * model.norm + 2 * model.head_size * model.head_norms
    small = 4 * norms * (on.auto and task == "lora")
    found.append([block(model, on) + 2 * casts + small, size, f"{model} {on}"])
print(json.dumps(found))
"""


def test_a_block_keeps_on_the_gpu_what_the_formula_says() -> None:
    found = json.loads(said_by(KEPT))
    assert len(found) == 72
    for said, size, what in found:
        # Besides there are only the two numbers of a random state.
        assert 0 <= size - said <= 32, what


def test_peaks_are_those_of_the_page() -> None:
    """They were measured on torch 2.13; since 2.15 workspaces go back to the allocator."""
    near = 5e-3 if version("torch").startswith("2.13.") else 6e-2
    peaks = load_peaks(HERE)
    for one, size in zip(peaks, measured(range(len(peaks))), strict=True):
        assert size == pytest.approx(one.bytes, rel=near), one

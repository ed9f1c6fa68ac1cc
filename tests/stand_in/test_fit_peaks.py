"""The formulas of memory/fit, against PyTorch's CUDA code: what a block keeps, and peaks of steps.

`fit_peaks.py` beside this file measures; what it found is in data/fit_peaks.yml, and on the page.
"""

from __future__ import annotations

import json
from importlib.metadata import version

import pytest
from fit_peaks import measured, said_by

from gpu_guide.data.models import Peak, load_peaks
from gpu_guide.fit import terms
from gpu_guide.project import HERE

KEPT = """
import itertools, json
from dataclasses import replace
import torch
from fit_network import choose_attention, kept, network
from gpu_guide.fit import terms
from gpu_guide.fit.model import Model
from gpu_guide.fit.terms import Setting, block
new = not torch.__version__.startswith("2.13.")
if new:  # a fused kernel also in float32 with fewer key heads
    terms.writes_scores = lambda model, on: not on.fused_attention
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
    said = block(model, on) + 2 * casts + small
    # What that kernel gives has its own layout, so that o is not given a copy.
    if new and fused and not on.low and model.head_norms and (task == "full" or everywhere):
        said -= 4 * on.tokens * model.query
    found.append([said, size, f"{model} {on}"])
print(json.dumps(found))
"""


def test_a_block_keeps_on_the_gpu_what_the_formula_says() -> None:
    """In float32 with fewer key heads, the scores are kept in torch 2.13, and not in 2.15."""
    found = json.loads(said_by(KEPT))
    assert len(found) == 72
    for said, size, what in found:
        # Besides there are only the two numbers of a random state.
        assert 0 <= size - said <= 32, what


STEPS = """
import json
from fit_network import peak
from gpu_guide.fit.model import Model
from gpu_guide.fit.terms import Setting, fullest
model = Model(4, 512, 8, 8, 64, 1376, 32000)
found = []
for precision in ("float32", "mixed"):
    for first in (True, False):
        on = Setting(precision=precision, batch=2, sequence=2048, first_step=first)
        name, terms = fullest(model, on)
        found.append([name, sum(terms.values()), peak(model, on)])
print(json.dumps(found))
"""


def test_a_first_step_lacks_the_optimizers_state() -> None:
    """The loss is the fullest moment, and the first time the state is not there yet."""
    near = 5e-3 if version("torch").startswith("2.13.") else 6e-2
    found = json.loads(said_by(STEPS))
    assert [name for name, _, _ in found] == ["loss"] * 4
    for _, said, size in found:
        assert size == pytest.approx(said, rel=near)
    for first, later in (found[:2], found[2:]):
        assert first[2] < later[2]


def test_peaks_are_those_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were measured on torch 2.13. In 2.15 workspaces go back to the allocator, and no scores
    are stored in float32 with fewer key heads."""
    new = not version("torch").startswith("2.13.")
    peaks = load_peaks(HERE)
    then = [_sum(one) for one in peaks]
    if new:
        monkeypatch.setattr(terms, "writes_scores", lambda model, on: not on.fused_attention)
    less = [before - _sum(one) for before, one in zip(then, peaks, strict=True)]
    assert any(less) == new, "no row of the page has such heads"
    for one, gone, size in zip(peaks, less, measured(range(len(peaks))), strict=True):
        assert size == pytest.approx(one.bytes - gone, rel=6e-2 if new else 5e-3), one


def _sum(one: Peak) -> int:
    """What the formula gives for a row of the page, in bytes."""
    return sum(terms.fullest(one.named.model, one.setting)[1].values())

"""Workspaces of cuDNN's older calls: what the stand-in allocates is what an NVIDIA H200 allocated
with torch 2.11, by the allocator's own history.
"""

from __future__ import annotations

import pytest
from stand_in_calls import said

H200 = {"capability": "9.0", "multiprocessors": 132}
REQUESTS = """
import torch
from torch import nn

def requests(work):
    torch.cuda.memory._record_memory_history(context=None)
    result = work()
    (events,) = [one for one in torch.cuda.memory._snapshot()["device_traces"] if one]
    torch.cuda.memory._record_memory_history(enabled=None)
    return result, [event["size"] for event in events if event["action"] == "alloc"]
"""


def test_an_lstm_requests_what_it_did_on_an_h200(run_on):
    code = f"""{REQUESTS}
layer = nn.LSTM(512, 512, num_layers=2, dropout=0.2, batch_first=True)
_, weights = requests(layer.cuda)
x, gradient = torch.zeros(2, 64, 256, 512, device="cuda")
(y, _), forward = requests(lambda: layer(x))
_, backward = requests(lambda: y.backward(gradient))
print([weights[-1], *[[one for one in all if one > 262144] for all in (forward, backward)]])
"""
    weights, forward, backward = said(run_on(code, **H200))
    flat = 16_809_984
    assert weights == flat  # all in one piece
    sequence, workspace = 64 * 256 * 512 * 4, 271_057_664
    states, reserve = 6_488_064, 370_147_584
    # The state of dropout, the input with time first, the output.
    assert forward == [states, sequence, sequence, workspace, reserve]
    # Input and gradient with time first, the input's gradient; then those of the weights.
    assert backward == [*[sequence] * 3, workspace, sequence, flat, workspace]


@pytest.mark.parametrize(
    ("channels", "size", "forward", "backward"),
    [
        (64, 112, 2_590_364, 4_282_916),
        (256, 56, 2_591_408, 4_283_440),
        (512, 28, 1_297_296, 2_143_296),
        (2048, 7, 331_440, 541_856),
    ],
)
def test_batch_norm_with_channels_last_requests_what_it_did(
    run_on, channels, size, forward, backward
):
    code = f"""{REQUESTS}
norm = nn.BatchNorm2d({channels}).cuda()
x = torch.zeros(64, {channels}, {size}, {size}, device="cuda", dtype=torch.float16)
x = x.to(memory_format=torch.channels_last).requires_grad_()
y, forward = requests(lambda: norm(x))
gradient = torch.ones_like(y)
_, backward = requests(lambda: y.backward(gradient))
print([forward, backward])
"""
    (output, *saved, first), later = said(run_on(code, **H200))
    assert output == 64 * channels * size * size * 2
    assert saved == [channels * 4] * 2 and first == forward
    assert sorted(later) == sorted([output, channels * 4, channels * 4, backward])


def test_batch_norm_that_is_contiguous_needs_no_workspace(run_on):
    code = f"""{REQUESTS}
norm = nn.BatchNorm2d(64).cuda()
x = torch.zeros(8, 64, 32, 32, device="cuda", requires_grad=True)
y, forward = requests(lambda: norm(x))
gradient = torch.ones_like(y)
_, backward = requests(lambda: y.backward(gradient))
_, evaluated = requests(lambda: norm.eval()(x))
print([forward, backward, evaluated])
"""
    output = 8 * 64 * 32 * 32 * 4
    forward, backward, evaluated = said(run_on(code))
    assert forward == [output, 256, 256] and sorted(backward) == [256, 256, output]
    assert evaluated[0] == output


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_every_recurrent_layer_runs_as_pytorchs_cuda_code(run_on, kind):
    code = f"""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

many = {{"num_layers": 2, "bidirectional": True, "dropout": 0.5}}
options = [{{}}, {{"bias": False}}, many, {{"proj_size": 8}} if "{kind}" == "LSTM" else {{}}]
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    for given in options:
        layer = nn.{kind}(24, 16, **given, dtype=dtype).cuda()
        x = torch.zeros(9, 4, 24, device="cuda", dtype=dtype)
        for one in (x, pack_padded_sequence(x, [9, 7, 7, 2])):
            output = layer(one)[0]
            output = output if isinstance(output, torch.Tensor) else output.data
            assert type(output.grad_fn).__name__ == "CudnnRnnBackward0"
            output.sum().backward()
            assert layer.weight_ih_l0.grad.shape == layer.weight_ih_l0.shape
        with torch.no_grad():
            layer.eval()(x)
print(True)
"""
    done = run_on(code)
    assert said(done) is True and "stand-in" not in done.stderr


def test_a_small_recurrent_layer_keeps_its_weights_in_one_piece(run_on):
    code = """
import torch
import warnings
warnings.simplefilter("error")  # of weights that are compacted at every call
layer = torch.nn.GRU(3, 4).cuda()
x = torch.zeros(5, 2, 3, device="cuda")
layer(x)
print(len({one.untyped_storage().data_ptr() for one in layer.parameters()}))
"""
    assert said(run_on(code)) == 1


def test_other_calls_that_get_a_handle_run(run_on):
    code = """
import torch
from torch.nn import functional as F

theta = torch.zeros(2, 2, 3, device="cuda", requires_grad=True)
image = torch.zeros(2, 3, 8, 8, device="cuda", requires_grad=True)
grid = F.affine_grid(theta, [2, 3, 8, 8], align_corners=True)
sampled = F.grid_sample(image, grid, align_corners=True)
sampled.sum().backward()
scores = torch.zeros(50, 4, 20, device="cuda", requires_grad=True)
whole = {"dtype": torch.int32, "device": "cuda"}
given = [torch.ones(40, **whole), torch.full((4,), 50, **whole), torch.full((4,), 10, **whole)]
loss = F.ctc_loss(scores.log_softmax(-1), *given, reduction="none")
loss.sum().backward()
names = [type(one.grad_fn).__name__ for one in (grid, sampled, loss)]
print([name.startswith(("Cudnn", "AffineGrid")) for name in names])
"""
    done = run_on(code)
    assert said(done) == [True, True, True] and "stand-in" not in done.stderr

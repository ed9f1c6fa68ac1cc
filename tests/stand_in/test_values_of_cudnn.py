"""What the CPU computes where PyTorch calls cuDNN for a layer."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

GPU = "cuda:0"


@pytest.mark.parametrize("format", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_has_the_values_of_the_cpu(format, training) -> None:
    torch.manual_seed(0)
    expected = nn.BatchNorm2d(3).train(training)
    norm = copy.deepcopy(expected).to(GPU)
    x = torch.randn(4, 3, 5, 5).to(memory_format=format)
    inputs = [x.clone().requires_grad_(), x.to(GPU).requires_grad_()]
    for layer, one in zip((expected, norm), inputs, strict=True):
        layer(one).pow(3).sum().backward()
    assert type(norm(inputs[1]).grad_fn).__name__ == "CudnnBatchNormBackward0"
    torch.testing.assert_close(norm(inputs[1]).cpu(), expected(inputs[0]))
    torch.testing.assert_close(inputs[1].grad.cpu(), inputs[0].grad, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(norm.weight.grad.cpu(), expected.weight.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("options", [{}, {"bias": False}, {"num_layers": 2, "bidirectional": True}])
def test_a_recurrent_layer_has_the_values_of_the_cpu(kind, options) -> None:
    torch.manual_seed(0)
    expected = kind(3, 4, **options)
    layer = copy.deepcopy(expected).to(GPU)
    x = torch.randn(5, 2, 3)
    torch.testing.assert_close(layer(x.to(GPU))[0].cpu(), expected(x)[0])
    packed = pack_padded_sequence(x, [5, 3])
    found = layer(packed.to(GPU))[0].data
    torch.testing.assert_close(found.cpu(), expected(packed)[0].data)

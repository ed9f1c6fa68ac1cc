"""LSTM, GRU and RNN layers: PyTorch asks cuDNN how it lays out weights before it calls an operator,
which nobody can answer here. So the operator is called directly.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import torch

_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
_libraries: list[torch.library.Library] = []


def install() -> None:
    """Have the layers call `_cudnn_rnn`, with and without gradients."""
    # PyTorch looks for the layout that cuDNN would have given them.
    warnings.filterwarnings("ignore", "RNN module weights are not part of single contiguous")
    for key in ("CUDA", "AutogradCUDA"):
        library = torch.library.Library("aten", "IMPL")
        for name, mode in _MODES.items():
            library.impl(f"{name}.input", partial(_input, mode), key, allow_override=True)
            library.impl(f"{name}.data", partial(_data, mode), key, allow_override=True)
        _libraries.append(library)


def _input(
    mode: int,
    input: torch.Tensor,
    hx: Any,
    params: list[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[torch.Tensor, ...]:
    options = (num_layers, batch_first, dropout, train, bidirectional, ())
    return _run(mode, input, hx, params, has_biases, options)


def _data(
    mode: int,
    data: torch.Tensor,
    batch_sizes: torch.Tensor,
    hx: Any,
    params: list[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
) -> tuple[torch.Tensor, ...]:
    options = (num_layers, False, dropout, train, bidirectional, batch_sizes.tolist())
    return _run(mode, data, hx, params, has_biases, options)


def _run(
    mode: int,
    input: torch.Tensor,
    states: Any,
    params: list[torch.Tensor],
    has_biases: bool,
    options: tuple[Any, ...],
) -> tuple[torch.Tensor, ...]:
    hx, cx = states if mode == _MODES["lstm"] else (states, None)
    hidden = (params[0].shape[0]) // {0: 1, 1: 1, 2: 4, 3: 3}[mode]
    projected = hx.shape[-1] if hx.shape[-1] != hidden else 0
    each = (4 if has_biases else 2) + bool(projected)
    dropout_state = torch.empty(0, dtype=torch.uint8, device=input.device)
    output, hy, cy, *_ = torch.ops.aten._cudnn_rnn(
        input, params, each, None, hx, cx, mode, hidden, projected, *options, dropout_state
    )
    return (output, hy, cy) if mode == _MODES["lstm"] else (output, hy)

"""Shapes of what cuDNN's recurrent layers return, for which PyTorch has no meta function: read in
its CUDA code (aten/src/ATen/native/cudnn/RNN.cpp of 2.13).

Their workspaces are not among them: cuDNN says them to a real GPU only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
_GATES = {0: 1, 1: 1, 2: 4, 3: 3}
"""Of each mode: ReLU and tanh networks, LSTM, GRU."""


def _flat(weight_arr: list[Tensor], **_: Any) -> Tensor:
    return weight_arr[0].new_empty(sum(weight.numel() for weight in weight_arr))


def _rnn(
    input: Tensor,
    hx: Tensor,
    cx: Tensor | None,
    mode: int,
    hidden_size: int,
    proj_size: int,
    num_layers: int,
    batch_first: bool,
    train: bool,
    bidirectional: bool,
    batch_sizes: list[int],
    **_: Any,
) -> tuple[Tensor, ...]:
    ways = 2 if bidirectional else 1
    given_back = (proj_size or hidden_size) * ways
    output = input.new_empty([*input.shape[:-1], given_back])
    steps = input.shape[0] if batch_sizes else input.shape[0] * input.shape[1]
    # What the backward pass reads again: each gate and each state of each layer, at the least.
    values = steps * ways * num_layers * (_GATES[mode] + 2) * hidden_size if train else 0
    reserve = torch.empty(values * input.element_size(), dtype=torch.uint8, device="meta")
    cells = hx.new_empty(cx.shape) if cx is not None else hx.new_empty(0)
    # The weights lie in one piece since `flatten_parameters`, so no copy of them is made.
    return output, hx.new_empty(hx.shape), cells, reserve, input.new_empty(0)


def _rnn_backward(
    input: Tensor, weight: list[Tensor], hx: Tensor, cx: Tensor | None, **_: Any
) -> tuple[Any, ...]:
    cells = cx if cx is not None else hx.new_empty(0)
    given = (input, hx, cells)
    return *(one.new_empty(one.shape) for one in given), [
        one.new_empty(one.shape) for one in weight
    ]


SHAPES: dict[str, Callable[..., Any]] = {
    "_cudnn_rnn_flatten_weight": _flat,
    "_cudnn_rnn": _rnn,
    "_cudnn_rnn_backward": _rnn_backward,
    "_cudnn_init_dropout_state": lambda **_: torch.empty(0, dtype=torch.uint8, device="meta"),
}

"""Shapes of what cuDNN returns, where PyTorch has no meta function: read in its CUDA code
(aten/src/ATen/native/cudnn of 2.13).

Workspaces of cuDNN are not among them: their size is known to NVIDIA's library alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
_GATES = {0: 1, 1: 1, 2: 4, 3: 3}
"""Of each mode: ReLU and tanh networks, LSTM, GRU."""


def _transposed(
    self: Tensor,
    weight: Tensor,
    padding: Any,
    output_padding: Any,
    stride: Any,
    dilation: Any,
    groups: int,
    **_: Any,
) -> Tensor:
    return torch.ops.aten.convolution(
        self, weight, None, stride, padding, dilation, True, output_padding, groups
    )


def _attention(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> tuple[Any, ...]:
    bias = options.pop("attn_bias", None)
    for name in ("cum_seq_q", "cum_seq_k", "max_q", "max_k"):
        options.pop(name, None)
    given = options.pop("compute_log_sumexp", True)
    call = torch.ops.aten._scaled_dot_product_cudnn_attention
    return call(query, key, value, bias, given, **options)


def _attention_backward(query: Tensor, key: Tensor, value: Tensor, **_: Any) -> tuple[Tensor, ...]:
    return tuple(torch.empty_like(one) for one in (query, key, value))


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
    "cudnn_convolution_transpose": _transposed,
    "_cudnn_attention_forward": _attention,
    "_cudnn_attention_backward": _attention_backward,
    "_cudnn_rnn_flatten_weight": _flat,
    "_cudnn_rnn": _rnn,
    "_cudnn_rnn_backward": _rnn_backward,
    "_cudnn_init_dropout_state": lambda **_: torch.empty(0, dtype=torch.uint8, device="meta"),
}

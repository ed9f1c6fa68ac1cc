"""Which operators autocast runs in float32 on CUDA: PyTorch's own list.

autocast 在 CUDA 上把哪些算子放到 float32：PyTorch 自己的列表。
"""

import re
from pathlib import Path

import torch

header = Path(torch.__file__).parent / "include/ATen/autocast_mode.h"
text = header.read_text(encoding="utf-8")
float32 = set()
for macro in ("AT_FORALL_FP32", "AT_FORALL_FP32_SET_OPT_DTYPE"):
    # zh: 宏的每一行写一个算子：_(exp)、_(softmax, int)。
    # en: Each line of the macro names one operator: _(exp), _(softmax, int).
    body = text.split(f"#define {macro}(_)")[1].split("\n\n")[0]
    float32.update(re.findall(r"_\((\w+)", body))

for group in (
    ("layer_norm", "group_norm", "rms_norm", "batch_norm"),
    ("softmax", "log_softmax", "sum", "prod", "cumsum", "mean"),
    ("exp", "log", "pow", "rsqrt", "tanh", "gelu"),
    ("nll_loss", "mse_loss", "l1_loss", "kl_div"),
):
    listed = [name for name in group if name in float32]
    others = [name for name in group if name not in float32]
    print(*listed, "| not listed:", *others)
    #> layer_norm group_norm rms_norm | not listed: batch_norm
    #> softmax log_softmax sum prod cumsum | not listed: mean
    #> exp log pow rsqrt | not listed: tanh gelu
    #> nll_loss mse_loss l1_loss kl_div | not listed:

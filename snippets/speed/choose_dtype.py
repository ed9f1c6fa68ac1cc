"""bfloat16 where the GPU computes in it, else float16 with a GradScaler.

GPU 支持 bfloat16 就用它，否则用 float16 加 GradScaler。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# zh: 旧卡能模拟 bfloat16，但很慢：模拟的不算。
# en: Old cards can emulate bfloat16, slowly: that does not count.
bfloat16 = device.type == "cpu" or torch.cuda.is_bf16_supported(
    including_emulation=False
)
dtype = torch.bfloat16 if bfloat16 else torch.float16

# zh: enabled=False 的 GradScaler 什么都不做，训练代码只要写一份。
# en: With enabled=False a GradScaler does nothing: one training loop for both.
scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16)

print(dtype, scaler.is_enabled(), scaler.get_scale())
#> torch.bfloat16 False 1.0

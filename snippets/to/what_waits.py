"""Which calls make the CPU wait for the GPU: PyTorch can report them.

哪些调用要等 GPU：PyTorch 自己能报告。
"""
# needs: cuda
# simulated: no

import torch

host = torch.ones(3)
x = host.to("cuda")
calls = {
    "x + 1": lambda: x + 1,
    "x.shape": lambda: x.shape,
    "x.cpu()": lambda: x.cpu(),
    "x.tolist()": lambda: x.tolist(),
    "x.sum().item()": lambda: x.sum().item(),
    "if x.sum() > 0": lambda: bool(x.sum() > 0),
    "print(x)": lambda: str(x),
    "x[x > 0]": lambda: x[x > 0],
    "non_blocking": lambda: x.to("cpu", non_blocking=True),
    "host.to('cuda')": lambda: host.to("cuda"),
}

torch.cuda.set_sync_debug_mode("error")
for name, call in calls.items():
    try:
        call()
    except RuntimeError:
        print("waits:        ", name)
    else:
        print("does not wait:", name)
torch.cuda.set_sync_debug_mode("default")

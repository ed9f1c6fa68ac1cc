"""Creating a tensor or indexing one may make the CPU wait for the GPU.

创建张量、取下标，也可能让 CPU 停下来等 GPU。
"""
# needs: cuda
# simulated: no

import numpy as np
import torch

x = torch.zeros(3, 6, device="cuda")
mask = torch.ones(3, dtype=torch.bool, device="cuda")
mask_on_cpu = mask.cpu()
columns_on_cpu = torch.tensor([0, 2])
columns = columns_on_cpu.to("cuda")

no_wait = {
    "torch.full((3,), 2.0)": lambda: torch.full((3,), 2.0, device="cuda"),
    "torch.arange(3)": lambda: torch.arange(3, device="cuda"),
    "x + 1.0": lambda: x + 1.0,
    "x + torch.tensor(1.0)": lambda: x + torch.tensor(1.0),
    "x[:, 1:3]": lambda: x[:, 1:3],
    "x[:, columns]": lambda: x[:, columns],
    "x[mask_on_cpu]": lambda: x[mask_on_cpu],
    "torch.where(…)": lambda: torch.where(mask[:, None], x, 0.0),
}
wait = {
    "torch.tensor(2.0)": lambda: torch.tensor(2.0, device="cuda"),
    "torch.tensor([0, 2])": lambda: torch.tensor([0, 2], device="cuda"),
    "x[:, [0, 2]]": lambda: x[:, [0, 2]],
    "x[:, np.array([0, 2])]": lambda: x[:, np.array([0, 2])],
    "x[:, columns_on_cpu]": lambda: x[:, columns_on_cpu],
    "x[mask]": lambda: x[mask],
    "torch.nonzero(mask)": lambda: torch.nonzero(mask),
    "x[0, 0].item()": lambda: x[0, 0].item(),
}


def waits(call):
    try:
        call()
    except RuntimeError as error:
        assert "synchronizing CUDA operation" in str(error)
        return True
    return False


# zh: 在这种模式下，要等 GPU 的调用会报错。
# en: In this mode, a call that would wait raises instead.
torch.cuda.set_sync_debug_mode("error")
try:
    for name, call in no_wait.items():
        assert not waits(call), name
        print("does not wait:", name)
    for name, call in wait.items():
        assert waits(call), name
        print("waits:        ", name)
finally:
    torch.cuda.set_sync_debug_mode("default")

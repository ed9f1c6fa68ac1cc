"""CUDA_VISIBLE_DEVICES may be set after `import torch`, not after first use.

CUDA_VISIBLE_DEVICES 可以在 `import torch` 之后设置，但要在第一次用 CUDA 之前。
"""
# needs: cuda
# simulated: no

import subprocess
import sys

import torch

print("here:", torch.cuda.get_device_properties(0).name)

load = "import os, torch"
# zh: 用 -1 来藏：空值在 Windows 上等于没有设置。
# en: -1 hides the GPUs; on Windows an empty value counts as not set.
hide = 'os.environ["CUDA_VISIBLE_DEVICES"] = "-1"'
ask = "torch.cuda.is_available()"
use = 'torch.ones(1, device="cuda")'

orders = {
    "before import torch": ["import os", hide, "import torch", use],
    "after import torch": [load, hide, use],
    "after is_available()": [load, ask, hide, use],
    "after a tensor": [load, use, hide, use],
}

# zh: True：GPU 还能用，说明设得太晚，没有起作用。
# en: True: the GPU still works, so the variable came too late.
for when, lines in orders.items():
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, stderr=subprocess.DEVNULL)
    print(f"hidden {when}: GPU works {done.returncode == 0}")

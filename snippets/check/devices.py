"""Every GPU that PyTorch sees: number, name, memory, compute capability.

PyTorch 看到的每块 GPU：编号、型号、显存、计算能力。
"""

import torch

if not torch.cuda.is_available():
    print("PyTorch sees no GPU here")
    #> PyTorch sees no GPU here

for index in range(torch.cuda.device_count()):
    gpu = torch.cuda.get_device_properties(index)
    memory = f"{gpu.total_memory / 2**30:.1f} GiB"
    print(f"cuda:{index}", gpu.name, memory, f"sm_{gpu.major}{gpu.minor}")

"""The same seed, but the CPU and the GPU draw different numbers.

种子相同，CPU 和 GPU 生成的随机数也不同。
"""
# needs: cuda

import torch

torch.manual_seed(0)
drawn_on_cpu = torch.rand(3).to("cuda")
torch.manual_seed(0)
drawn_on_gpu = torch.rand(3, device="cuda")

print(drawn_on_cpu.device == drawn_on_gpu.device)
#> True
print(torch.equal(drawn_on_cpu, drawn_on_gpu))
#> False

torch.manual_seed(0)
print(torch.equal(torch.rand(3, device="cuda"), drawn_on_gpu))
#> True

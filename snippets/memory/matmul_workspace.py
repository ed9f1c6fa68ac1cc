"""The first matrix product allocates a workspace for cuBLAS, and it stays.

第一次矩阵乘法会为 cuBLAS 分配工作区，之后一直留着。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

a = torch.ones(512, 512, device="cuda")


def allocated_by_a_product():
    before = torch.cuda.memory_allocated()
    product = a @ a
    return torch.cuda.memory_allocated() - before - product.nbytes


first, second = allocated_by_a_product(), allocated_by_a_product()
print(f"first product:  {first / 2**20:.1f} MiB besides the result")
print(f"second product: {second / 2**20:.1f} MiB")
assert first >= second == 0

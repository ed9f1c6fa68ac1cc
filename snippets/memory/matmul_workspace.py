"""A matrix product takes a workspace for cuBLAS, besides its result.

矩阵乘法除了结果，还要一块给 cuBLAS 用的工作区。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

a = torch.ones(512, 512, device="cuda")


def besides_the_result():
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    result = a @ a
    during = torch.cuda.max_memory_allocated() - before - result.nbytes
    after = torch.cuda.memory_allocated() - before - result.nbytes
    return during / 2**20, after / 2**20


first, second = besides_the_result(), besides_the_result()
print(torch.__version__)
for name, (during, after) in (("first", first), ("second", second)):
    print(f"{name:6} product: {during:.1f} MiB, {after:.1f} MiB afterwards")

# zh: 2.14 及更早，第一次乘法留下工作区，以后一直用它；
#   从 2.15 起，每次乘法要一块，用完就还给分配器。
# en: Up to 2.14 the first product leaves its workspace for the others;
#   since 2.15 each takes one and gives it back to the allocator.
kept = first[0] == first[1] and second == (0, 0)
given_back = first == second and second[1] == 0
assert first[0] > 0 and (kept or given_back)

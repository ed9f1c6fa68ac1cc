"""Before it raises, the allocator frees its cache: no empty_cache() needed.

报错之前，分配器自己先清空缓存：不用调 empty_cache()。
"""
# needs: cuda
# simulated: no

import torch

MIB = 2**20
total = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(1024 * MIB / total)


def empty(size):
    return torch.empty(size * MIB, dtype=torch.uint8, device="cuda")


first = empty(600)
del first
assert torch.cuda.memory_reserved() == 600 * MIB

# zh: 600 加 800 超过上限 1024：只有先放掉缓存，才放得下。
# en: 600 and 800 exceed the limit of 1024: it fits once the cache is freed.
second = empty(800)
print(torch.cuda.memory_reserved() // MIB, second.nbytes // MIB)
print(torch.cuda.memory_stats()["num_alloc_retries"], "retry")
assert torch.cuda.memory_reserved() == 800 * MIB
assert torch.cuda.memory_stats()["num_alloc_retries"] == 1

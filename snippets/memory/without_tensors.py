"""Without any tensor the card is in use already: the CUDA context.

一个张量也没有，卡上已经有占用：CUDA 上下文。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

free, total = torch.cuda.mem_get_info()

print(torch.cuda.memory_reserved(), "bytes reserved")
print(f"{(total - free) / 2**20:.0f} MiB used, other processes included")
assert torch.cuda.memory_reserved() == 0
assert total > free

# zh: empty_cache() 归还不了它，进程结束才释放。
# en: empty_cache() cannot return it; it goes when the process ends.
torch.cuda.empty_cache()
assert torch.cuda.mem_get_info()[0] < total

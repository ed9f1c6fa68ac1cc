"""A forked worker cannot use CUDA once the main process has used it.

主进程用过 CUDA 之后，fork 出来的工作进程就不能再用 CUDA。
"""
# needs: cuda, linux
# simulated: no

import torch
from torch.utils.data import DataLoader, Dataset


class OnGpu(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(index, device="cuda")


# zh: 只问一句还剩多少显存，也算用过。
# en: Merely asking how much memory is free counts as use.
torch.cuda.mem_get_info()

loader = DataLoader(OnGpu(), num_workers=1, multiprocessing_context="fork")
try:
    next(iter(loader))
except RuntimeError as error:
    print("Cannot re-initialize CUDA in forked subprocess" in str(error))

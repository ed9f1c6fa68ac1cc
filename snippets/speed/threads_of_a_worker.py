"""A worker computes with one thread, however many the main process has.

工作进程只用一个线程计算，主进程用几个都一样。
"""
# leaves: threads

import torch
from torch.utils.data import DataLoader, Dataset


class Threads(Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return torch.get_num_threads()


if __name__ == "__main__":
    torch.set_num_threads(3)
    for num_workers in (0, 1):
        threads = next(iter(DataLoader(Threads(), num_workers=num_workers)))
        print(f"num_workers={num_workers}: {threads.item()}")
        #> num_workers=0: 3
        #> num_workers=1: 1

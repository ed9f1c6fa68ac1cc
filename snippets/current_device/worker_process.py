"""A DataLoader worker is a process; what it returns is on the CPU.

DataLoader 的工作进程是另一个进程，它交回来的数据在 CPU 上。
"""

import os

import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ProcessIds(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor(os.getpid())


if __name__ == "__main__":
    batches = list(DataLoader(ProcessIds(), batch_size=2, num_workers=2))
    print("batches:", len(batches), "on", batches[0].device)
    #> batches: 4 on cpu

    # zh: 到了主进程里，再移到 GPU。
    # en: The main process moves them to the GPU.
    ids = torch.cat([batch.to(device) for batch in batches])
    print("numbers on", ids.device)
    #> numbers on cpu
    print("workers:", len(ids.unique()))
    #> workers: 2
    print("this process among them:", os.getpid() in ids)
    #> this process among them: False

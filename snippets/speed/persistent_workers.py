"""Every epoch starts new workers, unless they are persistent.

每一轮都要重新启动工作进程，除非让它们留下。
"""

import os

import torch
from torch.utils.data import DataLoader, Dataset


class ProcessIds(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(os.getpid())


if __name__ == "__main__":
    for keep in (False, True):
        loader = DataLoader(
            ProcessIds(), num_workers=2, persistent_workers=keep
        )
        first = set(torch.cat(list(loader)).tolist())
        second = set(torch.cat(list(loader)).tolist())
        print(f"persistent: {keep}, same workers: {first == second}")
        #> persistent: False, same workers: False
        #> persistent: True, same workers: True

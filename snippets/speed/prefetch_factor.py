"""Workers load ahead: `prefetch_factor` batches each.

工作进程会提前加载：每个提前 `prefetch_factor` 个 batch。
"""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self):
        self.read = torch.zeros(20, dtype=torch.bool).share_memory_()

    def __len__(self):
        return 20

    def __getitem__(self, index):
        self.read[index] = True
        return index


def read_ahead(**options):
    dataset = Counted()
    batches = iter(DataLoader(dataset, batch_size=1, **options))
    next(batches)
    # zh: 等工作进程停下来。
    # en: Wait until the workers have stopped.
    time.sleep(0.5)
    return int(dataset.read.sum()) - 1


if __name__ == "__main__":
    print("no worker:", read_ahead(num_workers=0))
    #> no worker: 0
    print("one worker:", read_ahead(num_workers=1))
    #> one worker: 2
    for n in (1, 2):
        read = read_ahead(num_workers=n, prefetch_factor=4)
        print(f"{n} with factor 4:", read)
        #> 1 with factor 4: 4
        #> 2 with factor 4: 8

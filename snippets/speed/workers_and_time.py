"""How many workers are best? Time them on your own dataset.

用几个工作进程最快？拿自己的数据集测一遍。
"""
# measures: yes

import os
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        # zh: 换成你自己的读取和变换。
        # en: Put your own reading and transforms here.
        image = torch.rand(3, 256, 256)
        return torch.nn.functional.interpolate(image[None], 224)[0]


def seconds(num_workers):
    loader = DataLoader(
        Images(), batch_size=8, num_workers=num_workers,
        persistent_workers=num_workers > 0,
    )
    # zh: 第一轮要启动进程，不算。
    # en: The first epoch starts the processes and does not count.
    batches = len(list(loader))
    start = time.perf_counter()
    assert len(list(loader)) == batches
    return time.perf_counter() - start


if __name__ == "__main__":
    print("CPU cores:", os.cpu_count())
    for num_workers in (0, 1, 2, 4):
        print(f"num_workers={num_workers}: {seconds(num_workers):.2f} s")

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
        return 128

    def __getitem__(self, index):
        start = time.process_time()
        # zh: 换成你自己的读取和变换。
        # en: Put your own reading and transforms here.
        image = torch.rand(3, 256, 256)
        image = torch.nn.functional.interpolate(image[None], 224)[0]
        return image, time.process_time() - start


def epoch(loader):
    start = time.perf_counter()
    computing = sum(seconds.sum().item() for _, seconds in loader)
    return time.perf_counter() - start, computing


def measure(num_workers):
    loader = DataLoader(
        Images(),
        batch_size=8,
        num_workers=num_workers,
        persistent_workers=num_workers > 0,
    )
    # zh: 第一轮要启动进程，不算；后三轮取最快的。
    # en: The first epoch starts the processes and does not count; the
    #   fastest of the next three does.
    epoch(loader)
    return min(epoch(loader) for _ in range(3))


if __name__ == "__main__":
    cores = os.cpu_count()
    print("CPU cores:", cores)
    for num_workers in (0, 1, 2, 4):
        seconds, computing = measure(num_workers)
        # zh: 核心花在图片上的时间，占全部核心时间的多少。
        # en: How much of the cores' time went into the images.
        share = computing / (seconds * cores)
        print(f"num_workers={num_workers}: {seconds:.2f} s, busy {share:.0%}")

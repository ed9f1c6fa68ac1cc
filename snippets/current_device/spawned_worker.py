"""A spawned worker can use CUDA, and starts on device 0.

用 spawn 启动的工作进程能用 CUDA，它从 0 号设备开始。
"""
# needs: cuda:2
# simulated: no

import torch
from torch.utils.data import DataLoader, Dataset


def uuid(index):
    return str(torch.cuda.get_device_properties(index).uuid)


class CurrentCard(Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return uuid(torch.cuda.current_device())


if __name__ == "__main__":
    cards = [uuid(0), uuid(1)]
    torch.cuda.set_device(1)
    loader = DataLoader(
        CurrentCard(),
        batch_size=None,
        num_workers=1,
        multiprocessing_context="spawn",
    )
    print("main:", torch.cuda.current_device())
    print("worker:", cards.index(next(iter(loader))))

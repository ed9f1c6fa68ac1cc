"""A training loop with pageable and with pinned batches: steps a second.

训练循环用可分页的和锁页的 batch：每秒各训练多少步。
"""
# needs: cuda
# simulated: no
# measures: yes

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Ready(Dataset):
    # zh: 现成的 batch，放在工作进程共用的内存里，所以加载几乎不花时间。
    # en: Batches that are ready, in memory that the workers share, so that
    #   loading takes hardly any time.
    def __init__(self):
        self.batches = torch.rand(2, 4096, 1024).share_memory_()

    def __len__(self):
        return 30

    def __getitem__(self, index):
        return self.batches[index % 2]


def steps_per_second(model, loader, non_blocking):
    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    begin.record()
    for x in loader:
        x = x.to("cuda", non_blocking=non_blocking)
        model.zero_grad()
        model(x).square().mean().backward()
    end.record()
    end.synchronize()
    return len(loader) / begin.elapsed_time(end) * 1e3


if __name__ == "__main__":
    layers = [torch.nn.Linear(1024, 1024) for _ in range(4)]
    model = torch.nn.Sequential(*layers).cuda()
    dataset = Ready()
    for name in ("pageable", "pinned", "pinned, non_blocking"):
        pin = "pinned" in name
        loader = DataLoader(
            dataset,
            batch_size=None,
            num_workers=2,
            persistent_workers=True,
            pin_memory=pin,
        )
        assert all(x.is_pinned() == pin for x in loader)
        rates = [
            steps_per_second(model, loader, "non_blocking" in name)
            for _ in range(9)
        ]
        # zh: 第一轮是预热。
        # en: The first epoch warms up.
        low, median, high = np.quantile(rates[1:], (0.25, 0.5, 0.75))
        print(f"{name}: {median:.0f} ({low:.0f} to {high:.0f}) steps/s")

"""The profiler shows how long the loop waited for the DataLoader.

性能分析器会显示循环等了 DataLoader 多久。
"""

import time

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, Dataset


class SlowToRead(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        time.sleep(0.02)
        return torch.ones(10)


model = torch.nn.Linear(10, 10)
with profile(activities=[ProfilerActivity.CPU]) as p:
    for batch in DataLoader(SlowToRead()):
        model(batch)

rows = {row.key: row for row in p.key_averages()}
loading = rows["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"]
computing = rows["aten::linear"]

# zh: 多出来的一次是发现数据已经取完。
# en: The one more is for finding that there are no more.
print(loading.count, computing.count)
#> 5 4
print(loading.cpu_time_total > computing.cpu_time_total)
#> True

"""How many batches, and so steps, an epoch has.

一个 epoch 有多少个 batch，也就是多少步。
"""

from torch.utils.data import DataLoader

for samples in (2000, 2050):
    steps = len(DataLoader(range(samples), batch_size=100))
    whole = len(DataLoader(range(samples), batch_size=100, drop_last=True))
    print(f"{samples} samples: {steps} steps, {whole} with drop_last")
    #> 2000 samples: 20 steps, 20 with drop_last
    #> 2050 samples: 21 steps, 20 with drop_last

"""How many steps an epoch has, with the batch of a GPU kept or divided.

一个 epoch 有多少步：每块 GPU 的 batch 不变，或者按 GPU 数分。
"""

samples, batch = 2000, 100
for gpus in (1, 2, 4):
    kept = samples // (batch * gpus)
    divided = samples // batch
    print(f"GPUs: {gpus}  kept: {kept:2} steps, divided: {divided}")
    #> GPUs: 1  kept: 20 steps, divided: 20
    #> GPUs: 2  kept: 10 steps, divided: 20
    #> GPUs: 4  kept:  5 steps, divided: 20

"""What each rank of DDP holds: all of the model, whatever their number.

DDP 的每个 rank 放着什么：不管有多少个，都是整个模型。
"""

weights = gradients = 1_000_000_000 * 4
adam = 2 * weights

for gpus in (1, 2, 8):
    each = weights + gradients + adam
    print(f"GPUs: {gpus}  {each / 1e9:.0f} GB on each")
    #> GPUs: 1  16 GB on each
    #> GPUs: 2  16 GB on each
    #> GPUs: 8  16 GB on each

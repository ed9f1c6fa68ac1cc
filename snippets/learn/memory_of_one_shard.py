"""What each rank of FSDP2 holds: its part of weights, gradients and state.

FSDP2 的每个 rank 放着什么：权重、梯度和优化器状态的一份。
"""

weights = gradients = 1_000_000_000 * 4
adam = 2 * weights

for gpus in (1, 2, 8):
    each = (weights + gradients + adam) / gpus
    print(f"GPUs: {gpus}  {each / 1e9:.0f} GB on each")
    #> GPUs: 1  16 GB on each
    #> GPUs: 2  8 GB on each
    #> GPUs: 8  2 GB on each

"""One GPU or several: first what fits, then whether speed is needed.

一块卡还是几块：先看放不放得下，再看嫌不嫌慢。
"""

# zh: 每个参数的字节：float32 的权重、梯度，AdamW 的两个动量。
# en: Bytes a parameter: weight and gradient in float32, AdamW's two moments.
STATE = 4 + 4 + 8
# zh: DDP 另有通信用的桶；FSDP2 另有正在计算的单元，见 FSDP2 那一页。
# en: DDP adds its buckets; FSDP2 the unit that computes, see the page on it.
BUCKETS = 4
UNIT = 2 + 2 + 2 + 4


def decide(parameters, activations, gpus, gpu_memory, too_slow=False, units=32):
    """Activations of the smallest batch and memory of a GPU, in GiB."""
    # zh: 最小的 batch 的激活值和一块 GPU 的显存，单位是 GiB。
    gib = parameters / 2**30
    one, ddp = STATE * gib, (STATE + BUCKETS) * gib
    fsdp = STATE * gib / gpus + UNIT * gib / units
    room = gpu_memory - activations
    if one < room and not (too_slow and gpus > 1):
        choice, size = "one GPU", one
    elif ddp < room:
        choice, size = "DDP", ddp
    else:
        choice, size = ("FSDP2" if fsdp < room else "more GPUs"), fsdp
    return f"{choice} ({size:.1f} of {room} GiB)"


print("25 M:", decide(25e6, activations=6, gpus=4, gpu_memory=24))
#> 25 M: one GPU (0.4 of 18 GiB)
print("25 M, too slow:", decide(25e6, 6, 4, 24, too_slow=True))
#> 25 M, too slow: DDP (0.5 of 18 GiB)
print("1 B:", decide(1e9, 6, 4, 24))
#> 1 B: one GPU (14.9 of 18 GiB)
print("1 B, too slow:", decide(1e9, 6, 4, 24, too_slow=True))
#> 1 B, too slow: FSDP2 (4.0 of 18 GiB)
print("3 B:", decide(3e9, 6, 4, 24))
#> 3 B: FSDP2 (12.0 of 18 GiB)
print("13 B:", decide(13e9, 6, 4, 24))
#> 13 B: more GPUs (52.2 of 18 GiB)

"""One GPU or several: first what fits, then whether speed is needed.

一块卡还是几块：先看放不放得下，再看嫌不嫌慢。
"""

# zh: 每个参数的字节：float32 的权重、梯度，AdamW 的两个动量。
# en: Bytes a parameter: weight and gradient in float32, AdamW's two moments.
STATE = 4 + 4 + 8


def decide(parameters, activations, gpus, gpu_memory, too_slow=False):
    """Activations of the smallest batch and memory of a GPU, in GiB."""
    state = parameters * STATE / 2**30
    room = gpu_memory - activations
    if state < room:
        choice = "DDP" if too_slow and gpus > 1 else "one GPU"
    elif state / gpus < room:
        choice = "FSDP2"
    else:
        choice = "more GPUs"
    return f"{choice} ({state:.1f}, split {state / gpus:.1f}, of {room})"


print("25 M:", decide(25e6, activations=6, gpus=4, gpu_memory=24))
#> 25 M: one GPU (0.4, split 0.1, of 18)
print("25 M, too slow:", decide(25e6, 6, 4, 24, too_slow=True))
#> 25 M, too slow: DDP (0.4, split 0.1, of 18)
print("3 B:", decide(3e9, 6, 4, 24))
#> 3 B: FSDP2 (44.7, split 11.2, of 18)
print("13 B:", decide(13e9, 6, 4, 24))
#> 13 B: more GPUs (193.7, split 48.4, of 18)

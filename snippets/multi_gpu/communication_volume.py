"""Bytes that each GPU sends in a training step: DDP, FSDP, tensor parallel.

每块卡每步要发多少字节：DDP、FSDP、张量并行。
"""


def gather(gpus, size):
    """All-gather, or reduce-scatter, in a ring: all parts but one's own."""
    return (gpus - 1) / gpus * size


def ddp(gpus, parameters, itemsize=4):
    """One all-reduce of the gradients: reduce-scatter, then all-gather."""
    return 2 * gather(gpus, parameters * itemsize)


def fsdp(gpus, parameters, itemsize=4):
    """Weights gathered forward and backward, gradients scattered once."""
    return 3 * gather(gpus, parameters * itemsize)


def tensor_parallel(gpus, blocks, tokens, hidden, itemsize=4):
    """Four all-reduces of the activations in each transformer block."""
    return 4 * blocks * 2 * gather(gpus, tokens * hidden * itemsize)


for gpus in (2, 8):
    for name, size in (
        ("DDP", ddp(gpus, 1e9)),
        ("FSDP", fsdp(gpus, 1e9)),
        ("TP", tensor_parallel(gpus, 24, 8 * 2048, 2048)),
    ):
        print(f"{gpus} GPUs, {name}: {size / 2**30:.1f} GiB")
        #> 2 GPUs, DDP: 3.7 GiB
        #> 2 GPUs, FSDP: 5.6 GiB
        #> 2 GPUs, TP: 12.0 GiB
        #> 8 GPUs, DDP: 6.5 GiB
        #> 8 GPUs, FSDP: 9.8 GiB
        #> 8 GPUs, TP: 21.0 GiB

"""Bytes that each GPU sends in a training step: DDP, FSDP2, tensor parallelism.

每块卡每步要发多少字节：DDP、FSDP2、张量并行。
"""


def gather(gpus, size):
    """All-gather, or reduce-scatter, in a ring: all parts but one's own."""
    # zh: 环上的 all-gather 或 reduce-scatter：除自己那份以外的都要传。
    return (gpus - 1) / gpus * size


# zh: DDP 的梯度是 float32。FSDP2 收集 bfloat16 的参数，用 float32 汇总梯度。
#   张量并行的激活值是 bfloat16。
# en: DDP's gradients are float32. FSDP2 gathers bfloat16 weights and reduces
#   float32 gradients. The activations of tensor parallelism are bfloat16.
def ddp(gpus, parameters, gradient=4):
    """One all-reduce of the gradients: reduce-scatter, then all-gather."""
    # zh: 梯度的一次 all-reduce：先 reduce-scatter，再 all-gather。
    return 2 * gather(gpus, parameters * gradient)


def fsdp(gpus, parameters, weight=2, gradient=4, microbatches=1):
    """In each micro-batch: weights gathered twice, gradients scattered."""
    # zh: 每个微批次里收集两次权重，分发一次梯度。
    sent = 2 * gather(gpus, parameters * weight)
    sent += gather(gpus, parameters * gradient)
    return microbatches * sent


def tensor_parallel(gpus, blocks, tokens, hidden, activation=2):
    """Four all-reduces of the activations in each transformer block."""
    # zh: 每个 transformer 块里，激活值做四次 all-reduce。
    return 4 * blocks * 2 * gather(gpus, tokens * hidden * activation)


TOKENS = 8 * 2048
SPLIT = {"blocks": 24, "tokens": TOKENS, "hidden": 2048}
for name, microbatches, size in (
    ("8 GPUs, DDP", 1, ddp(8, 1e9)),
    ("8 GPUs, DDP, 4 micro-batches", 4, ddp(8, 1e9)),
    ("8 GPUs, FSDP2", 1, fsdp(8, 1e9)),
    ("8 GPUs, FSDP2, 4 micro-batches", 4, fsdp(8, 1e9, microbatches=4)),
    ("2 GPUs, TP", 1, tensor_parallel(2, **SPLIT)),
    ("8 GPUs, TP", 1, tensor_parallel(8, **SPLIT)),
):
    token = size / (microbatches * TOKENS) / 2**10
    print(f"{name}: {size / 2**30:.1f} GiB, {token:.0f} KiB a token")
    #> 8 GPUs, DDP: 6.5 GiB, 417 KiB a token
    #> 8 GPUs, DDP, 4 micro-batches: 6.5 GiB, 104 KiB a token
    #> 8 GPUs, FSDP2: 6.5 GiB, 417 KiB a token
    #> 8 GPUs, FSDP2, 4 micro-batches: 26.1 GiB, 417 KiB a token
    #> 2 GPUs, TP: 6.0 GiB, 384 KiB a token
    #> 8 GPUs, TP: 10.5 GiB, 672 KiB a token

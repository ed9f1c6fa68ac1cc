"""Training state per GPU: DDP keeps all of it, FSDP one part of N.

每块 GPU 的训练状态：DDP 存整份，FSDP 存 N 分之一。
"""

PARAMETERS = 7e9
LAYERS = 32
# zh: float32 的参数、梯度、AdamW 的两个动量；收集起来的一层用 bfloat16。
# en: float32 weights, gradients and AdamW's two moments; one layer, gathered,
#   is in bfloat16.
KEPT = 4 + 4 + 8
GATHERED = 2


def ddp(gpus):
    return PARAMETERS * KEPT


def fsdp(gpus):
    return PARAMETERS * KEPT / gpus + PARAMETERS / LAYERS * GATHERED


for gpus in (1, 2, 4, 8, 16):
    gib = [f"{f(gpus) / 2**30:.1f}" for f in (ddp, fsdp)]
    print(gpus, "GPUs: DDP {} GiB, FSDP {} GiB".format(*gib))
    #> 1 GPUs: DDP 104.3 GiB, FSDP 104.7 GiB
    #> 2 GPUs: DDP 104.3 GiB, FSDP 52.6 GiB
    #> 4 GPUs: DDP 104.3 GiB, FSDP 26.5 GiB
    #> 8 GPUs: DDP 104.3 GiB, FSDP 13.4 GiB
    #> 16 GPUs: DDP 104.3 GiB, FSDP 6.9 GiB

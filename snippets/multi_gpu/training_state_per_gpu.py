"""Training state per GPU: DDP keeps all of it, FSDP2 one part of N.

每块 GPU 的训练状态：DDP 存整份，FSDP2 存 N 分之一。
"""

# zh: float32 的参数、梯度、AdamW 的两个动量，每个参数的字节数。
# en: Bytes per parameter, in float32: weight, gradient, AdamW's two moments.
STATE = 4 + 4 + 8
# zh: DDP 另有通信用的桶，和梯度一样大。
# en: DDP also has buckets to communicate, as large as the gradients.
BUCKETS = 4
# zh: FSDP2 里用 bfloat16 计算的一个单元，每个参数的字节数：收集完整的参数、
#   提前收集的下一个单元、它的梯度；以及正在用 float32 求和的上一个单元的梯度。
# en: One unit of FSDP2 that computes in bfloat16, bytes per parameter: its
#   gathered parameters, the next unit's, gathered ahead, its gradients, and the
#   previous unit's gradients, being summed in float32.
UNIT = 2 + 2 + 2 + 4


def ddp(parameters):
    return (STATE + BUCKETS) * parameters


def fsdp(parameters, units, gpus):
    return STATE * parameters / gpus + UNIT * parameters / units


print(f"DDP, any number of GPUs: {ddp(7e9) / 2**30:.1f} GiB")
#> DDP, any number of GPUs: 130.4 GiB
for gpus in (2, 4, 8, 16):
    gib = fsdp(7e9, units=32, gpus=gpus) / 2**30
    print(f"FSDP2 on {gpus} GPUs: {gib:.1f} GiB")
    #> FSDP2 on 2 GPUs: 54.2 GiB
    #> FSDP2 on 4 GPUs: 28.1 GiB
    #> FSDP2 on 8 GPUs: 15.1 GiB
    #> FSDP2 on 16 GPUs: 8.6 GiB

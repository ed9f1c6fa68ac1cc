"""Training state per GPU: DDP, the stages of ZeRO, and FSDP2.

每块卡上的训练状态：DDP、ZeRO 的各个阶段和 FSDP2。
"""

GPUS, PARAMETERS = 8, 7e9

# zh: float32 训练、用 Adam 时，每个参数占的字节数。
# en: Bytes per parameter in float32 with Adam.
BYTES = {"weights": 4, "gradients": 4, "moments": 8}
SHARDED = {
    "DDP": [],
    "ZeRO-1": ["moments"],
    "ZeRO-2": ["moments", "gradients"],
    "ZeRO-3, FSDP2": ["moments", "gradients", "weights"],
}
for method, parts in SHARDED.items():
    per_parameter = sum(
        size / GPUS if part in parts else size for part, size in BYTES.items()
    )
    print(f"{method:14}{per_parameter * PARAMETERS / 2**30:5.0f} GiB")
    #> DDP             104 GiB
    #> ZeRO-1           59 GiB
    #> ZeRO-2           36 GiB
    #> ZeRO-3, FSDP2    13 GiB

"""Which GPUs a build runs on, by its list of architectures.

从架构列表看，一个版本能在哪些 GPU 上跑。
"""

import re


def runs_on(capability: tuple[int, int], arch_list: list[str]) -> bool:
    for arch in arch_list:
        kind, number = re.match(r"(sm|compute)_(\d+)", arch).groups()
        code = divmod(int(number), 10)
        # zh: sm_XY 只在主版本 X 内、从 Y 起能跑；compute_XY 还能给更新的卡用。
        # en: sm_XY runs within X from Y on; compute_XY on newer GPUs, too.
        if code <= capability and (code[0] == capability[0] or kind != "sm"):
            return True
    return False


# zh: 列表由 torch.cuda.get_arch_list() 给出，计算能力由
#   torch.cuda.get_device_capability() 给出；这里是写好的例子。
# en: torch.cuda.get_arch_list() gives the list, and
#   torch.cuda.get_device_capability() the pair; these are examples.
cu126 = ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"]
cu132 = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]

for gpu, capability in {
    "GTX 1080 Ti": (6, 1),
    "RTX 4090": (8, 9),
    "RTX 5090": (12, 0),
}.items():
    print(gpu, runs_on(capability, cu126), runs_on(capability, cu132))
    #> GTX 1080 Ti True False
    #> RTX 4090 True True
    #> RTX 5090 False True

print(runs_on((12, 0), ["sm_90"]), runs_on((12, 0), ["compute_90"]))
#> False True

"""Which GPUs a build runs on, by its list of architectures.

从架构列表看，一个 wheel 能在哪些 GPU 上运行。
"""

import re

# zh: Jetson 的 GPU 只运行为它自己编译的代码。
# en: The GPUs of Jetson boards run no code but that compiled for them.
JETSON = {(5, 3), (6, 2), (7, 2), (8, 7)}


def runs_on(
    capability: tuple[int, int], arch_list: list[str], cuda: float
) -> bool:
    for arch in arch_list:
        kind, number, suffix = re.match(
            r"(sm|compute)_(\d+)(\w?)", arch
        ).groups()
        code = divmod(int(number), 10)
        if code == capability:
            return True
        # zh: 从 CUDA 13.2 起，7.2 和 8.7 也能运行同一主版本的代码。
        # en: From CUDA 13.2, 7.2 and 8.7 run code of their major version, too.
        if capability in JETSON and (cuda < 13.2 or capability < (7, 2)):
            continue
        # zh: sm_XY 在主版本 X 内、从 Y 起能运行；compute_XY（PTX）还能给更新的
        #   GPU 用。后缀 a 只限那一个型号，f 只限那一个主版本。
        # en: sm_XY runs within X from Y on; compute_XY (PTX) on newer GPUs,
        #   too. The suffix a is for that GPU alone, f for its major version.
        same = code[0] == capability[0] and suffix != "a"
        newer = kind == "compute" and not suffix
        if code < capability and code not in JETSON and (same or newer):
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
    "Jetson Orin": (8, 7),
}.items():
    old = runs_on(capability, cu126, 12.6)
    print(gpu, old, runs_on(capability, cu132, 13.2))
    #> GTX 1080 Ti True False
    #> RTX 4090 True True
    #> RTX 5090 False True
    #> Jetson Orin False True

for arch in ("sm_90", "compute_90"):
    print(arch, runs_on((12, 0), [arch], 12.8))
    #> sm_90 False
    #> compute_90 True

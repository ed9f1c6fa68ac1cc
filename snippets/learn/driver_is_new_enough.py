"""The rule for driver and wheel: only the major version counts.

驱动和 wheel 的规则：只看主版本。
"""


def major(version):
    return int(version.split(".")[0])


def runs(driver, wheel):
    return major(driver) >= major(wheel)


# zh: 左边是 nvidia-smi 显示的 CUDA，右边是 torch.version.cuda。
# en: Left: the CUDA in nvidia-smi. Right: torch.version.cuda.
for driver, wheel in (
    ("13.0", "13.2"),
    ("12.4", "12.6"),
    ("12.8", "13.2"),
    ("13.2", "12.6"),
):
    print(f"driver {driver}, wheel {wheel}:", runs(driver, wheel))
    #> driver 13.0, wheel 13.2: True
    #> driver 12.4, wheel 12.6: True
    #> driver 12.8, wheel 13.2: False
    #> driver 13.2, wheel 12.6: True

"""From what nvidia-smi shows to the newest index that the driver can run.

从 nvidia-smi 显示的版本，找出驱动能用的最新索引。
"""

import re

nvidia_smi = "| Driver Version: 550.54.15    CUDA Version: 12.4 |"
nvcc = "Cuda compilation tools, release 11.8, V11.8.89"

shown = re.search(r"CUDA Version: (\d+)", nvidia_smi)
driver_major = int(shown[1])

# zh: 编号最后一位是小版本：cu126 是 CUDA 12.6。
# en: The last digit is the minor version: cu126 is CUDA 12.6.
indexes = ["cu126", "cu130", "cu132"]
fit = [one for one in indexes if int(one[2:-1]) <= driver_major]
print("newest that fits:", fit[-1])
#> newest that fits: cu126

"""Without a CUDA Toolkit torch works the same: it looks for none.

没有 CUDA Toolkit，torch 照样工作：它根本不去找。
"""

import os
import subprocess
import sys
from pathlib import Path

code = """
import os, shutil, torch
print(shutil.which("nvcc"), "CUDA_HOME" in os.environ)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device)
print(torch.ones(2, 3, device=device).sum().item())
print(torch.version.cuda)
"""

# zh: 一个看不到工具包的环境：没有 nvcc，没有 CUDA_HOME，也没有工具包
#   的库。其他变量都留着：有的系统靠 LD_LIBRARY_PATH 找到驱动。
# en: An environment without a toolkit: no nvcc, no CUDA_HOME, none of its
#   libraries. All else stays: LD_LIBRARY_PATH may lead to the driver.
without = {**os.environ, "PATH": "/nowhere"}
for name in ("CUDA_HOME", "CUDA_PATH"):
    without.pop(name, None)
folders = without.pop("LD_LIBRARY_PATH", "").split(os.pathsep)
kept = [f for f in folders if f and not any(Path(f).glob("libcudart*"))]
if kept:
    without["LD_LIBRARY_PATH"] = os.pathsep.join(kept)


def run(environment: dict[str, str]) -> list[str]:
    command = [sys.executable, "-c", code]
    done = subprocess.check_output(command, env=environment, text=True)
    return done.splitlines()


nvcc, *results = run(without)
print(nvcc)
#> None False
print("device:", results[0])
#> device: cpu
print("total:", results[1])
#> total: 6.0

# zh: 设备、结果和 CUDA 版本，都和环境完整时一样。
# en: Device, result and CUDA version are those of the whole environment.
print(results == run({**os.environ})[1:])
#> True

"""A GPU can be hidden from a program, and nothing complains.

GPU 可以对程序隐藏起来，而且什么都不报。
"""

import os
import subprocess
import sys

code = "from torch import cuda; print(cuda.is_available(), cuda.device_count())"

hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
command = [sys.executable, "-c", code]
print(subprocess.check_output(command, env=hidden, text=True).strip())
#> False 0

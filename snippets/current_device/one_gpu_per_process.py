"""Hand each process one of the GPUs that this process was given.

自己分到几块 GPU，就给每个子进程分一块。
"""
# leaves: environment

import os
import subprocess
import sys

# zh: 假设调度器分给我们这两块。
# en: Say that the scheduler gave us these two.
os.environ["CUDA_VISIBLE_DEVICES"] = "5,7"

code = "import os; print(os.environ['CUDA_VISIBLE_DEVICES'])"

# zh: 每个子进程里，分到的那一块都叫 cuda:0。
# en: In each child, the one card it got is cuda:0.
for card in os.environ["CUDA_VISIBLE_DEVICES"].split(","):
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": card}
    command = [sys.executable, "-c", code]
    print(subprocess.check_output(command, env=env, text=True).strip())
    #> 5
    #> 7

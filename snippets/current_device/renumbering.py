"""A process that sees only the second card calls it `cuda:0`.

只看得到第二块卡的进程，管它叫 `cuda:0`。
"""
# needs: cuda:2
# simulated: no

import os
import subprocess
import sys

import torch

# zh: UUID 属于卡本身，不随编号变。
# en: A UUID belongs to the card and does not change with its number.
second = torch.cuda.get_device_properties(1).uuid

code = """
import torch
print(torch.cuda.device_count())
print(torch.cuda.get_device_properties("cuda:0").uuid)
"""
visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0,1").split(",")
env = {**os.environ, "CUDA_VISIBLE_DEVICES": visible[1]}
command = [sys.executable, "-c", code]
answer = subprocess.check_output(command, env=env, text=True)

count, first = answer.split()
print("GPUs in the child:", count)
print("its cuda:0 is our cuda:1:", first == str(second))

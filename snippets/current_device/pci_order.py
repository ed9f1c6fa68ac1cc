"""With CUDA_DEVICE_ORDER=PCI_BUS_ID, `cuda:N` is row N of nvidia-smi.

设了 CUDA_DEVICE_ORDER=PCI_BUS_ID，`cuda:N` 就是 nvidia-smi 的第 N 行。
"""
# needs: cuda:2
# simulated: no

import os
import subprocess
import sys

import torch

print("here:", torch.cuda.get_device_properties(0).name)

query = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
rows = subprocess.check_output(query, text=True).split()

code = """
import torch
for index in range(torch.cuda.device_count()):
    print(f"GPU-{torch.cuda.get_device_properties(index).uuid}")
"""
env = {**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
env.pop("CUDA_VISIBLE_DEVICES", None)
command = [sys.executable, "-c", code]
devices = subprocess.check_output(command, env=env, text=True).split()

print("the same order:", devices == rows)

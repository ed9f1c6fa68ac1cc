"""What several GPUs need, item by item, on whatever machine this is.

多卡要的东西，一项一项查，什么机器都能跑。
"""
# measures: yes

import os
import re
import shutil
import subprocess

import torch
import torch.distributed as dist

gpus = range(torch.cuda.device_count())
pairs = [(a, b) for a in gpus for b in gpus if a != b]


def same_after_copy(a, b):
    x = torch.arange(10**6, device=f"cuda:{a}")
    return torch.equal(x.to(f"cuda:{b}").cpu(), x.cpu())


names = [torch.cuda.get_device_name(gpu) for gpu in gpus]
print("GPUs:", len(gpus), *sorted(set(names)))
for a, b in pairs:
    access = torch.cuda.can_device_access_peer(a, b)
    copied = same_after_copy(a, b)
    print(f"cuda:{a} to cuda:{b}: P2P {access}, copied right {copied}")

has_dist = dist.is_available()
has_nccl = has_dist and dist.is_nccl_available()
print("CUDA of this build:", torch.version.cuda)
print("torch.distributed:", has_dist)
print("NCCL:", torch.cuda.nccl.version() if has_nccl else None)
# zh: 只算这个进程可以用的核心：作业和容器可能只分到一部分。
# en: Only cores that this process may use: a job may have a part of them.
try:
    cores = len(os.sched_getaffinity(0))
except AttributeError:
    cores = os.cpu_count()
print("CPU cores per GPU:", cores // max(len(gpus), 1))
if os.path.isdir("/dev/shm"):
    print("/dev/shm:", shutil.disk_usage("/dev/shm").total // 2**20, "MiB")

smi = shutil.which("nvidia-smi")
print("nvidia-smi:", smi)
query = ["--query-gpu=name,driver_version", "--format=csv,noheader"]
for options in (query, ["topo", "-m"]) if smi else ():
    done = subprocess.run([smi, *options], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        print(re.sub(r"\x1b\[\d*m", "", line).expandtabs(8))

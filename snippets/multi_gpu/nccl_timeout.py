"""NCCL's watchdog after a timeout, and who is missing.

NCCL 的看门狗在超时之后说了什么，缺的是谁？
"""
# needs: cuda:2, linux
# simulated: no

import os
import re
import subprocess
import sys
import tempfile

import torch

print("NCCL", torch.cuda.nccl.version())

# zh: 第二次 all-reduce 只有 rank 0 做。
# en: The second all-reduce is rank 0's alone.
CODE = """
import os
from datetime import timedelta
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
device = torch.device("cuda", rank)
torch.cuda.set_device(device)
dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
group = dist.new_group(timeout=timedelta(seconds=2))
x = torch.ones(3, device=device)
dist.all_reduce(x, group=group)
if rank == 0:
    dist.all_reduce(x, group=group)
    print("rank 0 goes on", flush=True)
    print(x.tolist())
dist.barrier()
"""


def run(*command, **variables):
    return subprocess.run(
        [sys.executable, "-m", *command],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    ).stdout


with tempfile.TemporaryDirectory() as folder:
    script = os.path.join(folder, "train.py")
    with open(script, "w") as file:
        file.write(CODE)
    # zh: 记录写完之后，默认要等一分钟进程才结束，这里改成 10 秒。
    # en: Once it is recorded, the process waits for a minute; here 10 seconds.
    said = run(
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=2",
        script,
        TORCH_FR_DUMP_TEMP_FILE=os.path.join(folder, "rank_"),
        TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC="10000",
    )
    compared = run(
        "torch.distributed.flight_recorder.fr_trace", folder, "-p", "rank_"
    )

for line in (
    r"rank 0 goes on",
    r"\[Rank 0\] Watchdog caught collective operation timeout: WorkNCCL\(.*\)",
    r"PG status: .*",
    r"<module> from .*",
    r"we are taking the entire process down",
    r"exitcode  : -6",
):
    found = re.search(line, said)
    print(found[0].replace(folder, ".") if found else f"not said: {line}")
for line in (r"collective: nccl:all_reduce\n", r"missing ranks: .*"):
    found = re.search(line, compared)
    print(found[0].strip() if found else f"not said: {line}")

# minutes: 12
# colab: yes

# %% setup
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import torch

gpus = torch.cuda.device_count()
if gpus >= 2:
    print(gpus, "GPUs: train.py and speed.py use NCCL, a GPU for each process")
else:
    print("not two GPUs: all scripts use gloo, on the CPU")

# %% script file=ranks.py
import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()

x = torch.tensor([rank + 1.0])
before = x.item()
dist.all_reduce(x)
print(f"rank {rank} of {world_size}: {before} became {x.item()}")
print("a process of its own:", os.getpid() != os.getppid())

dist.destroy_process_group()


# %% torchrun
import os


def printed_by(script, processes=2, seconds=120):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += [f"--nproc-per-node={processes}", "--redirects=1", script]
    print(f"{processes} x {script} ...")
    with tempfile.TemporaryDirectory() as logs:
        command.insert(-1, f"--log-dir={logs}")
        hide = {} if gpus >= processes else {"CUDA_VISIBLE_DEVICES": "-1"}
        agent = subprocess.Popen(
            command, env=os.environ | hide, stderr=subprocess.PIPE, text=True
        )
        try:
            errors = agent.communicate(timeout=seconds)[1]
        except BaseException as error:
            agent.terminate()
            errors = agent.communicate()[1]
            print(type(error).__name__, "stopped it")
        files = sorted(Path(logs).rglob("stdout.log"))
        printed = "".join(file.read_text() for file in files)
    if agent.returncode:
        print(errors[-2000:])
    return printed


def torchrun(script, **options):
    print(printed_by(script, **options), end="")


torchrun("ranks.py")

# %% train-script file=train.py snippet=multi_gpu/ddp_training

# %% train
torchrun("train.py")


# %% share
def share(samples, rank, world_size):
    ### BEGIN SOLUTION
    whole = samples // world_size * world_size
    return list(range(rank, whole, world_size))
    ### END SOLUTION


shares = [share(64, rank, 2) for rank in range(2)]
everything = sorted(number for one in shares for number in one)
assert len(everything) == len(set(everything)), "a sample is in both shares"
assert everything == list(range(64)), "a sample is in no share"
lengths = [len(share(65, rank, 2)) for rank in range(2)]
assert len(set(lengths)) == 1, f"shares of {lengths}: one process would wait"
print("65 samples, shares of", lengths)

# %% equal-script file=equal.py
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
x = torch.rand(64, 8)
y = x.square().sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
ddp = DistributedDataParallel(model)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)

mine = slice(rank, None, world_size)
for _ in range(50):
    loss = nn.functional.mse_loss(ddp(x[mine]), y[mine])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"rank {rank}: {len(x[mine])} of {len(x)} samples")
if rank == 0:
    torch.save(model.state_dict(), f"weights-{world_size}.pt")
dist.destroy_process_group()

# %% equal
torchrun("equal.py", processes=1)
torchrun("equal.py", processes=2)

one = torch.load("weights-1.pt", weights_only=True)
two = torch.load("weights-2.pt", weights_only=True)
largest = max((one[name] - two[name]).abs().max().item() for name in one)
print("the same weights:", largest < 1e-5)


# %% mean
def mean_of_all(means, counts):
    ### BEGIN SOLUTION
    total = sum(mean * count for mean, count in zip(means, counts))
    return total / sum(counts)
    ### END SOLUTION


losses = torch.arange(64.0)
halves, uneven = losses.split([32, 32]), losses.split([48, 16])
for parts in (halves, uneven):
    counts = [len(part) for part in parts]
    found = float(mean_of_all([part.mean().item() for part in parts], counts))
    hint = "a mean of 48 samples counts three times as much as one of 16"
    assert found == losses.mean(), f"{counts}: {found}, not 31.5; {hint}"
print("mean of all:", found)

# %% speed-script file=speed.py snippet=multi_gpu/two_processes_speed

# %% speed measures
printed = printed_by("speed.py")
print(printed, end="")

# %% speed-plot measures
rows = re.findall(r"width= *(\d+)  one (\S+) s  two (\S+) s", printed)
width, one, two = ([float(number) for number in row] for row in zip(*rows))
plt.plot(width, one, marker="o", label="one process")
plt.plot(width, two, marker="o", label="two processes")
plt.xscale("log", base=2)
plt.yscale("log")
plt.xlabel("width of the layer")
plt.ylabel("seconds per step")
plt.legend()
plt.show()

# %% hang-script file=hang.py snippet=multi_gpu/skipped_collective

# %% hang
torchrun("hang.py")

# %% clean
files = ["ranks.py", "train.py", "equal.py", "speed.py", "hang.py"]
files += ["model.pt", "weights-1.pt", "weights-2.pt"]
for name in files:
    Path(name).unlink(missing_ok=True)
print("files left:", sum(Path(name).exists() for name in files))

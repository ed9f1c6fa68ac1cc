# minutes: 12
# colab: yes

# %% setup
import json
import runpy
import shutil
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt

MiB, GiB = 2**20, 2**30
context = 512 * MiB
cards = {"rtx-4060": 8, "rtx-3060-12gb": 12, "t4": 16, "rtx-4090": 24}
for name, gigabytes in cards.items():
    print(f"{name}: {gigabytes - context / GiB} GiB to fill")

# %% script file=train.py
import sys

import torch
from torch import nn


def make(device):
    def block(a, b):
        return [nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]

    convolutions = [*block(3, 64), *block(64, 128), *block(128, 256)]
    head = [nn.Flatten(), nn.Linear(256 * 16 * 16, 1024), nn.ReLU()]
    last = nn.Linear(1024, 10)
    return nn.Sequential(*convolutions, *head, last).to(device)


def loss_of(model, batch, device):
    images = torch.rand(batch, 3, 128, 128, device=device)
    labels = torch.zeros(batch, dtype=torch.long, device=device)
    return nn.functional.cross_entropy(model(images), labels)


if __name__ == "__main__":
    model = make("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        loss_of(model, int(sys.argv[2]), "cuda").backward()
        optimizer.step()

# %% fixed
import torch

script = runpy.run_path("train.py")
with torch.device("meta"):
    model = script["make"]("meta")
parameters = sum(p.numel() for p in model.parameters())
fixed = parameters * 4 * 4
print(f"{parameters / 1e6:.1f} million parameters")
print(f"weights, gradients, two states: {fixed / GiB:.2f} GiB")


# %% saved
def saved(batch):
    sizes = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        sizes[storage._cdata] = storage.nbytes()
        return tensor

    hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda kept: kept)
    with hooks:
        loss = script["loss_of"](model, batch, "meta")
    weights = {p.untyped_storage()._cdata for p in model.parameters()}
    assert loss.requires_grad
    return sum(size for key, size in sizes.items() if key not in weights)


for batch in (1, 2, 4, 1000):
    print(f"batch {batch}: {saved(batch) / MiB:.1f} MiB")

# %% lines
sizes = [1, 50, 100, 200, 400, 600, 800, 1000]
needed = [(fixed + saved(size)) / GiB for size in sizes]
plt.plot(sizes, needed, marker="o")
for name, gigabytes in cards.items():
    height = gigabytes - context / GiB
    plt.axhline(height, color="gray", linewidth=1)
    plt.text(0, height, name, va="bottom")
plt.xlabel("batch")
plt.ylabel("GiB")
plt.show()

# %% formula
per_image = saved(2) - saved(1)
for name, gigabytes in cards.items():
    room = gigabytes * GiB - context - fixed
    print(f"{name}: batch {room // per_image}")


# %% search
def largest(fits):
    ### BEGIN SOLUTION
    batch, step = 0, 1
    while fits(step):
        step *= 2
    while step := step // 2:
        batch += step if fits(batch + step) else 0
    return batch
    ### END SOLUTION


for limit in (0, 1, 37, 1000):
    asked = []

    def fits(batch, limit=limit, asked=asked):
        assert batch >= 1, "begin with a batch of 1: a batch of 0 is none"
        asked.append(batch)
        return batch <= limit

    found = largest(fits)
    assert found == limit, f"{found}, but {limit} is the largest that fits"
    assert len(asked) <= 25, f"{len(asked)} runs for {limit}: take larger steps"
print("a limit of 1000 was found in", len(asked), "runs")

# %% dry measures
tool = shutil.which("gpu-guide")
if tool and (torch.version.cuda or "").startswith("13"):
    command = [tool, "dry-run", "--card", "t4", "--json", "--largest-batch"]
    command += ["--", "python", "train.py", "--batch", "64"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0:
        print("t4: batch", json.loads(run.stdout)["largest_batch"])
    else:
        print(run.stderr[-1000:])
else:
    print("no dry run here: the formula has the last word")


# %% pieces
def pieces(wanted, most):
    ### BEGIN SOLUTION
    for steps in range(1, wanted + 1):
        if wanted % steps == 0 and wanted // steps <= most:
            return wanted // steps, steps
    ### END SOLUTION


for wanted, most, right in ((64, 99, 1), (256, 99, 4), (90, 40, 3), (7, 3, 7)):
    batch, steps = pieces(wanted, most)
    assert batch <= most, f"a batch of {batch}, but {most} is the most"
    assert batch * steps == wanted, f"{steps} x {batch} is not {wanted}"
    assert steps == right, f"{steps} steps for {wanted}, but {right} are enough"
print("batch 256 in", pieces(256, 99)[1], "steps")

# %% clean
Path("train.py").unlink(missing_ok=True)
print("train.py is left:", Path("train.py").exists())

"""ViT-L/16 of torchvision on images of CIFAR-10's classes, with Lightning Fabric or without."""

import argparse

import torch
import torch.nn.functional as F
from lightning import Fabric
from torchvision.models import vit_l_16

parser = argparse.ArgumentParser()
parser.add_argument("--precision", default="plain")
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--optimizer", default="Adam")
parser.add_argument("--empty-init", action="store_true")
options = parser.parse_args()

fabric = None
if options.precision != "plain":
    fabric = Fabric(accelerator="cuda", devices=1, precision=options.precision)
    fabric.launch()
if options.empty_init:
    with fabric.init_module(empty_init=True):
        model = vit_l_16()
        model.heads.head = torch.nn.Linear(1024, 10)
else:
    model = vit_l_16()
    model.heads.head = torch.nn.Linear(1024, 10)
if not fabric:
    model.to("cuda")
rate = {"lr": 5e-5} if options.optimizer == "Adam" else {"lr": 0.01}
optimizer = getattr(torch.optim, options.optimizer)(model.parameters(), **rate)
if fabric:
    model, optimizer = fabric.setup(model, optimizer)

images, classes = torch.randn(options.batch, 3, 224, 224), torch.randint(10, (options.batch,))
for step in range(4 * options.accumulate):
    x, y = images.to("cuda"), classes.to("cuda")
    logits = model(x)
    loss = F.cross_entropy(logits, y) / options.accumulate
    if options.accumulate == 1:
        optimizer.zero_grad()
    fabric.backward(loss) if fabric else loss.backward()
    if step % options.accumulate == 0:
        optimizer.step()
        if options.accumulate > 1:
            optimizer.zero_grad()
model.eval()
with torch.no_grad():
    for _ in range(2):
        model(images.to("cuda")).argmax(1)
print(torch.cuda.max_memory_allocated() / 1e9, torch.cuda.max_memory_reserved() / 1e9)

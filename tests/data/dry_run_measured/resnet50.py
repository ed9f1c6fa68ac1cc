"""ResNet-50 of torchvision on 64 images of 224 × 224, by SGD with momentum."""

import argparse

import torch
from torchvision.models import resnet50

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
parser.add_argument("--channels-last", action="store_true")
parser.add_argument("--batch", type=int, default=64)
options = parser.parse_args()

layout = torch.channels_last if options.channels_last else torch.contiguous_format
model = resnet50().to("cuda", memory_format=layout)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(enabled=options.amp)
for _ in range(4):
    images = torch.randn(options.batch, 3, 224, 224).to("cuda", memory_format=layout)
    classes = torch.randint(1000, (options.batch,), device="cuda")
    with torch.autocast("cuda", torch.float16, enabled=options.amp):
        loss = torch.nn.functional.cross_entropy(model(images), classes)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()

"""Faster R-CNN with ResNet-50 and FPN of torchvision, two images of 800 × 800, eight boxes each."""

import torch
from torchvision.models.detection import fasterrcnn_resnet50_fpn

model = fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=91)
model.to("cuda").train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
for _ in range(4):
    images = [torch.rand(3, 800, 800).to("cuda") for _ in range(2)]
    corners = torch.arange(8, device="cuda")[:, None] * 80.0
    boxes = torch.cat([corners, corners, corners + 120, corners + 160], dim=1)
    labels = torch.arange(1, 9, device="cuda")
    losses = model(images, [{"boxes": boxes, "labels": labels}] * 2)
    optimizer.zero_grad()
    sum(losses.values()).backward()
    optimizer.step()

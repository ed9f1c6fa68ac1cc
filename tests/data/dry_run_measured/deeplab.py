"""DeepLabV3 with ResNet-50 of torchvision, four images of 512 × 512, 21 classes."""

import torch
from torchvision.models.segmentation import deeplabv3_resnet50

model = deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=21).to("cuda")
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(4):
    images = torch.randn(4, 3, 512, 512).to("cuda")
    masks = torch.randint(21, (4, 512, 512)).to("cuda")
    loss = torch.nn.functional.cross_entropy(model(images)["out"], masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""ConvNeXt-T of timm as its own script trains it: float16, channels_last, LAMB, EMA, Mixup."""

import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.utils import ModelEmaV3, NativeScaler

model = timm.create_model("convnext_tiny", num_classes=1000, drop_path_rate=0.1)
model.to("cuda", memory_format=torch.channels_last)
optimizer = create_optimizer_v2(model, opt="lamb", lr=1e-3)
mixup, loss_of = Mixup(mixup_alpha=0.8, num_classes=1000), SoftTargetCrossEntropy()
average, scaler = ModelEmaV3(model), NativeScaler()
for _ in range(4):
    images = torch.randn(32, 3, 224, 224).to("cuda", memory_format=torch.channels_last)
    images, classes = mixup(images, torch.randint(1000, (32,), device="cuda"))
    with torch.autocast("cuda", torch.float16):
        loss = loss_of(model(images), classes)
    optimizer.zero_grad()
    scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
    average.update(model)

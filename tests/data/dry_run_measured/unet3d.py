"""A three-dimensional U-Net with instance norm on two volumes of 96 × 96 × 96, by autocast."""

import torch
from torch import nn


def block(before: int, after: int) -> nn.Sequential:
    parts = []
    for channels in (before, after):
        parts += [nn.Conv3d(channels, after, 3, padding=1), nn.InstanceNorm3d(after, affine=True)]
        parts += [nn.LeakyReLU(inplace=True)]
    return nn.Sequential(*parts)


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)) -> None:
        super().__init__()
        self.down = nn.ModuleList(map(block, (1, *widths[:-1]), widths))
        pairs = list(zip(widths[:0:-1], widths[-2::-1], strict=True))
        self.wider = nn.ModuleList(nn.ConvTranspose3d(a, b, 2, stride=2) for a, b in pairs)
        self.up = nn.ModuleList(block(2 * b, b) for _, b in pairs)
        self.head = nn.Conv3d(widths[0], 3, 1)

    def forward(self, x):
        kept = []
        for number, layers in enumerate(self.down):
            x = layers(x if number == 0 else nn.functional.max_pool3d(x, 2))
            kept.append(x)
        for wider, layers, skip in zip(self.wider, self.up, kept[-2::-1], strict=True):
            x = layers(torch.cat([wider(x), skip], dim=1))
        return self.head(x)


model = UNet().to("cuda")
optimizer = torch.optim.AdamW(model.parameters())
scaler = torch.amp.GradScaler()
for _ in range(4):
    volumes = torch.randn(2, 1, 96, 96, 96).to("cuda")
    classes = torch.randint(3, (2, 96, 96, 96)).to("cuda")
    with torch.autocast("cuda", torch.float16):
        loss = nn.functional.cross_entropy(model(volumes), classes)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()

"""DCGAN: a generator of transposed convolutions and its critic, 128 images of 64 × 64."""

import torch
from torch import nn

WIDTHS = (512, 256, 128, 64)
parts: list[nn.Module] = [nn.ConvTranspose2d(100, WIDTHS[0], 4, 1, 0, bias=False)]
for before, after in zip(WIDTHS, (*WIDTHS[1:], 3), strict=True):
    parts += [nn.BatchNorm2d(before), nn.ReLU(True)]
    parts += [nn.ConvTranspose2d(before, after, 4, 2, 1, bias=False)]
generator = nn.Sequential(*parts, nn.Tanh()).to("cuda")
parts = [nn.Conv2d(3, WIDTHS[-1], 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)]
for before, after in zip(WIDTHS[:0:-1], WIDTHS[-2::-1], strict=True):
    parts += [nn.Conv2d(before, after, 4, 2, 1, bias=False), nn.BatchNorm2d(after)]
    parts += [nn.LeakyReLU(0.2, inplace=True)]
critic = nn.Sequential(*parts, nn.Conv2d(WIDTHS[0], 1, 4, 1, 0, bias=False)).to("cuda")
optimizers = [torch.optim.Adam(net.parameters(), lr=2e-4) for net in (generator, critic)]
loss_of = nn.BCEWithLogitsLoss()
real, fake = torch.ones(128, device="cuda"), torch.zeros(128, device="cuda")
for _ in range(4):
    images = torch.randn(128, 3, 64, 64).to("cuda")
    critic.zero_grad()
    loss_of(critic(images).flatten(), real).backward()
    made = generator(torch.randn(128, 100, 1, 1, device="cuda"))
    loss_of(critic(made.detach()).flatten(), fake).backward()
    optimizers[1].step()
    generator.zero_grad()
    loss_of(critic(made).flatten(), real).backward()
    optimizers[0].step()

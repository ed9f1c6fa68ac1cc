"""A Fourier neural operator: rfft2, product of modes, irfft2; 16 fields of 256 × 256."""

import torch
from torch import nn


class Spectral(nn.Module):
    def __init__(self, width: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(
            torch.randn(width, width, modes, modes, dtype=torch.cfloat) / width
        )

    def forward(self, x):
        spectrum = torch.fft.rfft2(x)
        kept = spectrum[..., : self.modes, : self.modes]
        out = torch.zeros_like(spectrum)
        out[..., : self.modes, : self.modes] = torch.einsum("bixy,ioxy->boxy", kept, self.weight)
        return torch.fft.irfft2(out, s=x.shape[-2:])


class Operator(nn.Module):
    def __init__(self, width: int = 64, modes: int = 16, depth: int = 4) -> None:
        super().__init__()
        self.lift, self.head = nn.Conv2d(3, width, 1), nn.Conv2d(width, 1, 1)
        self.spectral = nn.ModuleList(Spectral(width, modes) for _ in range(depth))
        self.beside = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(depth))

    def forward(self, x):
        x = self.lift(x)
        for spectral, beside in zip(self.spectral, self.beside, strict=True):
            x = nn.functional.gelu(spectral(x) + beside(x))
        return self.head(x)


model = Operator().to("cuda")
optimizer = torch.optim.Adam(model.parameters())
for _ in range(4):
    fields, wanted = (
        torch.randn(16, 3, 256, 256).to("cuda"),
        torch.randn(16, 1, 256, 256).to("cuda"),
    )
    loss = nn.functional.mse_loss(model(fields), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

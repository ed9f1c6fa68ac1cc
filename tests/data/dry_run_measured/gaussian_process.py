"""An exact Gaussian process on 8,000 points: its likelihood by a Cholesky factor, float32."""

import torch

x = torch.rand(8000, 4).to("cuda")
y = x.sum(dim=1).sin() + 0.1 * torch.randn(8000, device="cuda")
scale, noise = (torch.zeros((), device="cuda", requires_grad=True) for _ in range(2))
optimizer = torch.optim.Adam([scale, noise], lr=0.05)
for _ in range(4):
    distance = torch.cdist(x, x)
    kernel = torch.exp(-((distance * scale.exp()) ** 2) / 2)
    factor = torch.linalg.cholesky(kernel + (noise.exp() + 0.1) * torch.eye(len(x), device="cuda"))
    solved = torch.cholesky_solve(y[:, None], factor).squeeze(1)
    loss = (y @ solved) / 2 + factor.diagonal().log().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""Stage 1: on one GPU, with clipping, a scheduler and an exact evaluation.

第一步：在一块 GPU 上训练，带梯度裁剪、学习率调度和准确的验证。
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

BATCH, EPOCHS, WARM_UP = 16, 4, 4


def dataset(samples, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(samples, 8, generator=generator)
    return TensorDataset(x, x[:, :3].argmax(1))


def network():
    layers = nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)
    return nn.Sequential(*layers).to(device)


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    total = torch.zeros(3, device=device)
    for x, y in DataLoader(data, BATCH):
        x, y = x.to(device), y.to(device)
        output = model(x)
        losses = cross_entropy(output, y, reduction="none")
        right = output.argmax(1) == y
        count = y.new_tensor(len(losses))
        total += torch.stack([losses.sum(), right.sum(), count])
    model.train()
    loss, right, count = total.tolist()
    print(f"test loss {loss / count:.2f}, {right:.0f} of {count:.0f} right")
    #> test loss 0.95, 10 of 21 right
    #> test loss 0.76, 16 of 21 right
    #> test loss 0.61, 16 of 21 right
    #> test loss 0.57, 17 of 21 right


def main():
    torch.manual_seed(0)
    model = network()
    data, test = dataset(96, seed=1), dataset(21, seed=2)
    order = torch.Generator()
    sampler = RandomSampler(data, generator=order)
    loader = DataLoader(data, BATCH, sampler=sampler, drop_last=True)
    steps = EPOCHS * len(loader)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
    scheduler = LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP, 1 - step / steps)
    )
    for epoch in range(EPOCHS):
        # zh: 顺序只由 epoch 决定，重新启动之后也一样。
        # en: The epoch decides the order, so a restart does not change it.
        order.manual_seed(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        evaluate(model, test)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
main()

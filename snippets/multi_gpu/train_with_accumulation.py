"""Stage 3: gradient accumulation, a step of four micro-batches.

第三步：梯度累积，四个微批次合成一步。
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

BATCH, MICRO, EPOCHS, WARM_UP = 16, 4, 4, 4
DTYPE = torch.bfloat16


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
        with torch.autocast(device.type, DTYPE):
            output = model(x)
        losses = cross_entropy(output.float(), y, reduction="none")
        right = output.argmax(1) == y
        count = y.new_tensor(len(losses))
        total += torch.stack([losses.sum(), right.sum(), count])
    model.train()
    loss, right, count = total.tolist()
    print(f"test loss {loss / count:.2f}, {right:.0f} of {count:.0f} right")
    #> test loss 0.95, 10 of 21 right
    #> test loss 0.76, 16 of 21 right
    #> test loss 0.63, 16 of 21 right
    #> test loss 0.58, 17 of 21 right


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
    enabled = DTYPE is torch.float16
    scaler = torch.amp.GradScaler(device.type, enabled=enabled)
    for epoch in range(EPOCHS):
        # zh: 顺序只由 epoch 决定，重新启动之后也一样。
        # en: The epoch decides the order, so a restart does not change it.
        order.manual_seed(epoch)
        for x, y in loader:
            parts = list(zip(x.split(MICRO), y.split(MICRO), strict=True))
            for x, y in parts:
                x, y = x.to(device), y.to(device)
                with torch.autocast(device.type, DTYPE):
                    loss = cross_entropy(model(x), y) / len(parts)
                scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
            optimizer.zero_grad()
        evaluate(model, test)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
main()

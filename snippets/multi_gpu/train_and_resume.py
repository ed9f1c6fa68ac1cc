"""Stage 4: saving everything, and resuming in the middle of an epoch.

第四步：把所有状态存下来，从一个 epoch 的中间接着训练。
"""
# leaves: files

import os
from itertools import islice

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

BATCH, MICRO, EPOCHS, WARM_UP = 16, 4, 4, 4
DTYPE = torch.bfloat16
SAVE_EVERY = 4


def dataset(samples, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(samples, 8, generator=generator)
    return TensorDataset(x, x[:, :3].argmax(1))


def network():
    layers = nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)
    return nn.Sequential(*layers).to(device)


class Resumable(RandomSampler):
    skip = 0

    def __iter__(self):
        return islice(super().__iter__(), self.skip, None)


def random_state():
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def set_random_state(states):
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"])


def save(step, parts):
    state = {name: part.state_dict() for name, part in parts.items()}
    state |= {"step": step, "random": random_state()}
    # zh: 写完才改名：写到一半被杀掉，旧的还是完整的。
    # en: Renamed when complete: killed while writing, the old one stays.
    torch.save(state, "unfinished.pt")
    os.replace("unfinished.pt", "checkpoint.pt")


def resume(parts):
    if not os.path.exists("checkpoint.pt"):
        return 0
    state = torch.load("checkpoint.pt", map_location="cpu")
    for name, part in parts.items():
        part.load_state_dict(state[name])
    set_random_state(state["random"])
    print("resumed at step", state["step"])
    #> resumed at step 8
    return state["step"]


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


def main(stop=None):
    torch.manual_seed(0)
    model = network()
    data, test = dataset(96, seed=1), dataset(21, seed=2)
    order = torch.Generator()
    sampler = Resumable(data, generator=order)
    # zh: 每次开始遍历，DataLoader 都要取一个随机数，这里让它用自己的生成器。
    # en: At each start DataLoader draws a number, here from a generator of its
    #   own.
    own = torch.Generator()
    loader = DataLoader(
        data, BATCH, sampler=sampler, drop_last=True, generator=own
    )
    per_epoch = len(loader)
    steps = EPOCHS * per_epoch
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
    scheduler = LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP, 1 - step / steps)
    )
    enabled = DTYPE is torch.float16
    scaler = torch.amp.GradScaler(device.type, enabled=enabled)
    training = {"model": model, "optimizer": optimizer}
    training |= {"scheduler": scheduler, "scaler": scaler}
    done = resume(training)
    for epoch in range(done // per_epoch, EPOCHS):
        # zh: 顺序只由 epoch 决定，重新启动之后也一样。
        # en: The epoch decides the order, so a restart does not change it.
        order.manual_seed(epoch)
        own.manual_seed(epoch)
        sampler.skip = done % per_epoch * BATCH
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
            done += 1
            if done % SAVE_EVERY == 0:
                save(done, training)
            if done == stop:
                return
        evaluate(model, test)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# zh: 第 9 步之后中断，再启动一次，就从第 8 步的检查点接着训练。
# en: Interrupted after step 9. Started again, it goes on from step 8.
main(stop=9)
main()

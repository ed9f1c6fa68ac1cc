"""Stage 6: FSDP2, with a checkpoint that any number of GPUs can load.

第六步：FSDP2，检查点可以在任意多块 GPU 上读取。
"""
# needs: torchrun:2
# leaves: files

import os
from glob import glob
from itertools import islice

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    get_state_dict,
    set_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

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


class Resumable(DistributedSampler):
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


def sharded(training):
    model, optimizer = get_state_dict(training["model"], training["optimizer"])
    return {
        "model": model,
        "optimizer": optimizer,
        "scheduler": training["scheduler"].state_dict(),
        "scaler": training["scaler"].state_dict(),
    }


def save(step, training):
    folder = f"step-{step:06}"
    os.makedirs(folder, exist_ok=True)
    torch.save(random_state(), f"{folder}/random-{rank}.pt")
    dcp.save(sharded(training), checkpoint_id=folder)


def resume(training):
    # zh: .metadata 最后才写，有它就说明写完了。
    # en: .metadata is written last, so a folder that has it is complete.
    complete = sorted(glob("step-*/.metadata"))
    if not complete:
        return 0
    folder = os.path.dirname(complete[-1])
    state = sharded(training)
    dcp.load(state, checkpoint_id=folder)
    set_state_dict(
        training["model"],
        training["optimizer"],
        model_state_dict=state["model"],
        optim_state_dict=state["optimizer"],
    )
    training["scheduler"].load_state_dict(state["scheduler"])
    training["scaler"].load_state_dict(state["scaler"])
    if os.path.exists(f"{folder}/random-{rank}.pt"):
        set_random_state(torch.load(f"{folder}/random-{rank}.pt"))
    step = int(folder.removeprefix("step-"))
    if rank == 0:
        print("resumed at step", step)
        #> resumed at step 8
    return step


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    total = torch.zeros(3, device=device)
    # zh: 样本不能整除时，采样器会重复几个来补齐；补上的不计入结果。
    # en: The sampler repeats samples to fill up the shares; those do not count.
    left = len(range(rank, len(data), ranks))
    shares = DistributedSampler(data, shuffle=False)
    for x, y in DataLoader(data, BATCH, sampler=shares):
        x, y = x.to(device), y.to(device)
        output = model(x)
        losses = cross_entropy(output.float(), y, reduction="none")[:left]
        right = (output.argmax(1) == y)[:left]
        left -= len(losses)
        count = y.new_tensor(len(losses))
        total += torch.stack([losses.sum(), right.sum(), count])
    model.train()
    dist.all_reduce(total)
    loss, right, count = total.tolist()
    if rank == 0:
        print(f"test loss {loss / count:.2f}, {right:.0f} of {count:.0f} right")
        #> test loss 0.95, 10 of 21 right
        #> test loss 0.76, 16 of 21 right
        #> test loss 0.63, 16 of 21 right
        #> test loss 0.58, 17 of 21 right


def main(stop=None):
    torch.manual_seed(0)
    model = network()
    mesh = init_device_mesh(device.type, (ranks,))
    policy = MixedPrecisionPolicy(param_dtype=DTYPE, reduce_dtype=torch.float32)
    for unit in (model[0], model[2], model):
        fully_shard(unit, mesh=mesh, mp_policy=policy)
    data, test = dataset(96, seed=1), dataset(21, seed=2)
    sampler = Resumable(data, drop_last=True)
    # zh: 每次开始遍历，DataLoader 都要取一个随机数，这里让它用自己的生成器。
    # en: At each start DataLoader draws a number, here from a generator of its
    #   own.
    own = torch.Generator()
    loader = DataLoader(
        data, BATCH // ranks, sampler=sampler, drop_last=True, generator=own
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
        sampler.set_epoch(epoch)
        own.manual_seed(epoch * ranks + rank)
        sampler.skip = done % per_epoch * (BATCH // ranks)
        for x, y in loader:
            parts = list(zip(x.split(MICRO), y.split(MICRO), strict=True))
            for i, (x, y) in enumerate(parts, start=1):
                x, y = x.to(device), y.to(device)
                model.set_requires_gradient_sync(i == len(parts))
                loss = cross_entropy(model(x).float(), y) / len(parts)
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


if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()

# zh: 第 9 步之后中断，再启动一次，就从第 8 步的检查点接着训练。
# en: Interrupted after step 9. Started again, it goes on from step 8.
main(stop=9)
main()

dist.destroy_process_group()

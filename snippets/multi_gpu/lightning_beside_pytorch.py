"""The same training with Lightning and in plain PyTorch.

同样的训练，用 Lightning 写一遍，再用纯 PyTorch 写一遍。
"""
# needs: torchrun:2, lightning

from contextlib import nullcontext

import lightning
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

generator = torch.Generator().manual_seed(0)
inputs = torch.randn(32, 4, generator=generator)
targets = torch.randn(32, 1, generator=generator)
data = TensorDataset(inputs, targets)


def small_model():
    torch.manual_seed(0)
    return nn.Linear(4, 1)


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = small_model()

    # zh: 不写 .to(device)，不写 backward()，也不除以累积次数。
    # en: No .to(device), no backward(), no division by the accumulation.
    def training_step(self, batch, index):
        inputs, targets = batch
        return nn.functional.mse_loss(self.net(inputs), targets)

    def on_train_start(self):
        self.wrapped_in = type(self.trainer.strategy.model).__name__

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def with_lightning():
    trainer = lightning.Trainer(
        accelerator="cuda" if torch.cuda.is_available() else "cpu",
        devices=2,
        strategy="ddp",
        max_epochs=1,
        accumulate_grad_batches=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    module = Regression()
    trainer.fit(module, DataLoader(data, batch_size=4, shuffle=False))
    return module, trainer


def in_plain_pytorch(device):
    net = small_model().to(device)
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    # zh: 上面写了 shuffle=False，Lightning 换上的采样器还是打乱顺序。
    # en: Despite shuffle=False above, Lightning's sampler shuffles.
    sampler = DistributedSampler(data, shuffle=True, seed=0)
    steps = 0
    loader = DataLoader(data, batch_size=4, sampler=sampler)
    for number, (inputs, targets) in enumerate(loader, start=1):
        inputs, targets = inputs.to(device), targets.to(device)
        last = number % 2 == 0
        with nullcontext() if last else model.no_sync():
            loss = nn.functional.mse_loss(model(inputs), targets)
            (loss / 2).backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
    return net, steps


module, trainer = with_lightning()
device = trainer.strategy.root_device
theirs = module.net.to(device)
ours, steps = in_plain_pytorch(device)
if dist.get_rank() == 0:
    sampler = type(trainer.train_dataloader.sampler).__name__
    print("Lightning wraps in:", module.wrapped_in)
    #> Lightning wraps in: DistributedDataParallel
    print("sampler of its DataLoader:", sampler)
    #> sampler of its DataLoader: DistributedSampler
    print(f"steps of the optimizer: {trainer.global_step} and {steps}")
    #> steps of the optimizer: 2 and 2
    same = torch.allclose(theirs.weight, ours.weight, atol=1e-6)
    print("weights equal:", same)
    #> weights equal: True

dist.destroy_process_group()

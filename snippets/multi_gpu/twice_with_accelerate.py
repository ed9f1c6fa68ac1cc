"""Four things done twice: by you, and by Accelerate.

自己做了一遍，Accelerate 又做一遍的四件事。
"""
# needs: torchrun:2, accelerate

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

accelerator = Accelerator(
    cpu=not torch.cuda.is_available(), gradient_accumulation_steps=2
)
rank = accelerator.process_index
device = accelerator.device

# zh: 设备：prepare 之前已经移过，也没有关系，它还是同一个模型。
# en: Device: moving before prepare does no harm. It is still the same model.
net = nn.Linear(1, 1, bias=False).to(device)
model = accelerator.prepare(net)
if rank == 0:
    print("moved twice:", accelerator.unwrap_model(model) is net)
    #> moved twice: True

# zh: DDP：已经套好的模型，prepare 会再套一层。
# en: DDP: prepare wraps a model that has been wrapped already.
twice = accelerator.prepare(DistributedDataParallel(nn.Linear(1, 1).to(device)))
if rank == 0:
    print("wrapped once: ", list(model.state_dict()))
    #> wrapped once:  ['module.weight']
    print("wrapped twice:", list(twice.state_dict()))
    #> wrapped twice: ['module.module.weight', 'module.module.bias']
    saved = accelerator.unwrap_model(model).state_dict()
    print("to be saved:  ", list(saved))
    #> to be saved:   ['weight']

# zh: 数据：自己先分一次，Accelerate 再分一次，一半的样本谁也看不到。
# en: Data: divided by you and by Accelerate, half of it reaches nobody.
samples = list(range(16))
sampler = DistributedSampler(samples, shuffle=False)
for name, loader in (
    ("divided once: ", DataLoader(samples, batch_size=2)),
    ("divided twice:", DataLoader(samples, batch_size=2, sampler=sampler)),
):
    mine = [batch.to(device) for batch in accelerator.prepare(loader)]
    everyone = accelerator.gather(torch.cat(mine)).tolist()
    if rank == 0:
        print(f"{name} {len(set(everyone))} of {len(samples)} samples")
        #> divided once:  16 of 16 samples
        #> divided twice: 8 of 16 samples


def gradient(divide):
    net = nn.Linear(1, 1, bias=False)
    nn.init.ones_(net.weight)
    model = accelerator.prepare(net)
    for _ in range(2):
        with accelerator.accumulate(model):
            loss = model(torch.ones(1, 1, device=device)).sum()
            accelerator.backward(loss / 2 if divide else loss)
    return net.weight.grad.item()


# zh: 损失：accelerator.backward 已经除以累积次数。
# en: Loss: accelerator.backward divides by the accumulation steps.
once, again = gradient(divide=False), gradient(divide=True)
if rank == 0:
    print(f"gradient: {once}, divided by hand as well: {again}")
    #> gradient: 1.0, divided by hand as well: 0.5

accelerator.end_training()

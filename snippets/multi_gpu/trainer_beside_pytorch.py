"""The same training with Transformers' Trainer and in plain PyTorch.

同样的训练，用 Transformers 的 Trainer 写一遍，再用纯 PyTorch 写一遍。
"""
# needs: torchrun:2, transformers, accelerate

import tempfile
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
)

# zh: 32 句话，每句 8 个词元。模型很小，配置写在这里，什么都不用下载。
# en: 32 sentences of 8 tokens. The model is small and its configuration
#     stands here, so nothing is downloaded.
generator = torch.Generator().manual_seed(0)
tokens = torch.randint(0, 50, (32, 8), generator=generator)
data = [{"input_ids": row, "labels": row} for row in tokens]


def small_model():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    return LlamaForCausalLM(config)


def with_trainer(folder):
    arguments = TrainingArguments(
        output_dir=folder,
        use_cpu=not torch.cuda.is_available(),
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        num_train_epochs=1,
        learning_rate=0.1,
        optim="sgd",
        lr_scheduler_type="constant",
        max_grad_norm=0.0,
        train_sampling_strategy="sequential",
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )
    trainer = Trainer(small_model(), arguments, train_dataset=data)
    result = trainer.train()
    return trainer.model, result.global_step, trainer.model_wrapped


def in_plain_pytorch(device):
    net = small_model().to(device)
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    rank, ranks = dist.get_rank(), dist.get_world_size()
    mine, steps = tokens.split(4)[rank::ranks], 0
    for number, batch in enumerate(mine, start=1):
        batch = batch.to(device)
        last = number % 2 == 0
        with nullcontext() if last else model.no_sync():
            loss = model(input_ids=batch, labels=batch).loss
            (loss / 2).backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
    return net, steps


with tempfile.TemporaryDirectory() as folder:
    theirs, their_steps, wrapped = with_trainer(folder)
ours, our_steps = in_plain_pytorch(theirs.device)
if dist.get_rank() == 0:
    print("Trainer wraps in:", type(wrapped).__name__)
    #> Trainer wraps in: DistributedDataParallel
    print(f"steps of the optimizer: {their_steps} and {our_steps}")
    #> steps of the optimizer: 2 and 2
    pairs = zip(theirs.parameters(), ours.parameters(), strict=True)
    same = all(torch.allclose(one, other, atol=1e-6) for one, other in pairs)
    print("weights equal:", same)
    #> weights equal: True

dist.destroy_process_group()

"""BERT-large, trained by the Trainer of Transformers on 512 random texts of 512 tokens."""

import argparse
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--checkpoint", action="store_true")
parser.add_argument("--fp16", action="store_true")
parser.add_argument("--optimizer", default="adamw_torch")
parser.add_argument("--attention", default="eager")
options = parser.parse_args()


class Texts(Dataset):
    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.randint(100, 30000, (512,)), "labels": torch.tensor(index % 2)}


sizes = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
config = BertConfig(**sizes, intermediate_size=4096, attn_implementation=options.attention)
model = BertForSequenceClassification(config).to("cuda")
arguments = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    num_train_epochs=1,
    report_to="none",
    save_strategy="no",
    per_device_train_batch_size=options.batch,
    gradient_accumulation_steps=options.accumulate,
    gradient_checkpointing=options.checkpoint,
    fp16=options.fp16,
    optim=options.optimizer,
)
Trainer(model=model, args=arguments, train_dataset=Texts()).train()

"""One operator of PyTorch or Transformers, forward and backward, four times."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("operator", choices=["loss", "head", "swiglu", "rms_norm", "layer_norm", "kl"])
parser.add_argument("size", type=int)
options = parser.parse_args()
size, half = options.size, {"device": "cuda", "dtype": torch.bfloat16}


def made():
    if options.operator == "loss":  # of 8 × 2048 tokens, by size of the vocabulary
        logits = torch.randn(8 * 2048, size, requires_grad=True, device="cuda")
        target = torch.randint(size, (8 * 2048, 1), device="cuda").squeeze(1)
        return lambda: nn.CrossEntropyLoss()(logits, target)
    if options.operator == "kl":
        logits = torch.randn(8 * 2048, size, requires_grad=True, device="cuda").log_softmax(dim=-1)
        target = torch.randn(8 * 2048, size, device="cuda").softmax(dim=-1)
        return lambda: nn.KLDivLoss(reduction="batchmean")(logits, target)
    if options.operator == "head":  # a linear layer to 128,256 words, and its loss, by tokens
        states = torch.randn(size, 4096, requires_grad=True, **half)
        target = torch.randint(128256, (size, 1), device="cuda").squeeze(1)
        layer = nn.Linear(4096, 128256, bias=False, **half)
        return lambda: nn.CrossEntropyLoss()(layer(states), target)
    if options.operator == "swiglu":  # of Llama, batch 4, by length
        from transformers.models.llama.configuration_llama import LlamaConfig
        from transformers.models.llama.modeling_llama import LlamaMLP

        config = LlamaConfig(hidden_size=4096, intermediate_size=11008, hidden_act="silu")
        layer = LlamaMLP(config).to(**half)
        x = torch.randn(4, size, 4096, requires_grad=True, **half)
        return lambda: layer(x)
    if options.operator == "rms_norm":  # 2048 rows, by width
        from transformers.models.llama.modeling_llama import LlamaRMSNorm

        layer = LlamaRMSNorm(size, eps=1e-6).to("cuda")
        x = torch.randn(2048, size, requires_grad=True, **half)
        return lambda: layer(x)
    layer = nn.LayerNorm(size, eps=1e-6).to("cuda")  # 4096 rows, by width
    x = torch.randn(4096, size, requires_grad=True, device="cuda")
    return lambda: layer(x)


def once() -> None:
    result = forward()
    if options.operator in ("rms_norm", "layer_norm"):
        result.backward(start, retain_graph=True)
    else:
        result.backward(torch.randn_like(result), retain_graph=True)


forward = made()
start = torch.randn_like(forward()) if options.operator in ("rms_norm", "layer_norm") else None
for _ in range(4):
    once()
print(torch.cuda.max_memory_allocated() / 2**20)

"""A model of LitGPT: finetuned whole or with LoRA, or generating, as its own scripts do it."""

import argparse

import torch
from lightning import Fabric
from litgpt import GPT as Whole
from litgpt import Config as WholeConfig
from litgpt import lora
from litgpt.generate.base import generate
from litgpt.utils import chunked_cross_entropy

parser = argparse.ArgumentParser()
parser.add_argument("task", choices=["full", "lora", "generate"])
parser.add_argument("model")
parser.add_argument("--precision", default="bf16-true")
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--length", type=int, default=512)
parser.add_argument("--accumulate", type=int, default=2)
parser.add_argument("--rank", type=int, default=8)
parser.add_argument("--everywhere", action="store_true", help="LoRA in each layer")
parser.add_argument("--prompt", type=int, default=6)
parser.add_argument("--new", type=int, default=256)
options = parser.parse_args()

fabric = Fabric(devices=1, precision=options.precision)
fabric.launch()


def generated() -> None:
    config = WholeConfig.from_name(options.model)
    with fabric.init_module(empty_init=True):
        model = Whole(config)
    with fabric.init_tensor():
        model.max_seq_length = options.prompt + options.new
        model.set_kv_cache(batch_size=1)
    model.eval()
    model = fabric.setup_module(model)
    prompt = torch.randint(100, (options.prompt,), device=fabric.device)
    with torch.inference_mode():
        # The cache is there from the start, and later tokens take no more than the first ones.
        generate(model, prompt, options.prompt + 4, temperature=0.8, top_k=50, top_p=1.0)


def trained() -> None:
    if options.task == "lora":
        everywhere = {f"lora_{name}": options.everywhere for name in ("key", "projection", "mlp")}
        adapters = {"lora_r": options.rank, "lora_alpha": 16, "lora_dropout": 0.05}
        given = {**adapters, "lora_query": True, "lora_value": True, **everywhere}
        with fabric.init_module(empty_init=True):
            model = lora.GPT(lora.Config.from_name(options.model, **given))
        lora.mark_only_lora_as_trainable(model)
    else:
        with fabric.init_module(empty_init=True):
            model = Whole(WholeConfig.from_name(options.model))
    model = fabric.setup_module(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4, weight_decay=0.0)
    optimizer = fabric.setup_optimizers(optimizer)
    model.max_seq_length = options.length
    model.train()
    for step in range(2 * options.accumulate):
        tokens = torch.randint(100, (2, options.batch, options.length)).to(fabric.device)
        last = (step + 1) % options.accumulate == 0
        with fabric.no_backward_sync(model, enabled=not last):
            logits = model(tokens[0], lm_head_chunk_size=128)
            logits[-1] = logits[-1][..., :-1, :]
            loss = chunked_cross_entropy(logits, tokens[1][..., 1:])
            fabric.backward(loss / options.accumulate)
        if last:
            optimizer.step()
            optimizer.zero_grad()


generated() if options.task == "generate" else trained()
print(f"{torch.cuda.max_memory_allocated() / 1e9:.2f} GB")

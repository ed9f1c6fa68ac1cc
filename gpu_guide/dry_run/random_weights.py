"""Models with random weights, where a script looks for trained ones; nothing is downloaded.

The script's own Python runs this file, because the models are those of its packages. It imports
nothing of `gpu_guide`, which that Python need not have.
"""

import sys
from pathlib import Path


def torchvision(name: str, at: str) -> None:
    """The file that torchvision would have downloaded."""
    import torch
    import torchvision.models

    torch.save(getattr(torchvision.models, name)().state_dict(), at)


def timm(name: str, at: str) -> None:
    """What timm would find in the cache of Hugging Face's hub, which is the folder `at`."""
    import timm as package
    from safetensors.torch import save_file

    model = package.create_model(name)
    folder = Path(at, "models--" + model.pretrained_cfg["hf_hub_id"].replace("/", "--"))
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("made")
    (folder / "snapshots" / "made").mkdir(parents=True)
    save_file(model.state_dict(), folder / "snapshots" / "made" / "model.safetensors")


def llama(size: str, at: str) -> None:
    """A folder with a model of `size` (layers x width) and a tokenizer of single bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    layers, width = (int(number) for number in size.split("x"))
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    known = {letter: number for number, letter in enumerate(["<s>", "</s>", *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=known, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = {"bos_token": "<s>", "eos_token": "</s>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(at)
    config = LlamaConfig(
        vocab_size=32000,
        hidden_size=width,
        intermediate_size=width * 11 // 4,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(at)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

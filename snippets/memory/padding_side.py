"""A short prompt in a batch needs left padding and the mask.

一批里的短句要补在左边，并且传掩码。
"""
# needs: transformers

import torch
from transformers import LlamaConfig, LlamaForCausalLM

# zh: 很小的模型，权重是随机的，什么都不用下载。0 是填充用的词元。
# en: A small model with random weights: nothing is downloaded.
#     Token 0 is the padding.
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=100,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    initializer_range=0.6,
    pad_token_id=0,
)
model = LlamaForCausalLM(config).eval()
short, long = [5, 6, 7], [8, 9, 10, 11, 12, 13]


def answer(rows, mask):
    ids = torch.tensor(rows)
    made = model.generate(
        ids,
        attention_mask=torch.tensor(mask),
        max_new_tokens=4,
        do_sample=False,
    )
    return made[0, ids.shape[1] :].tolist()


alone = answer([short], [[1, 1, 1]])

left = [[0, 0, 0, *short], long]
mask = [[0, 0, 0, 1, 1, 1], [1] * 6]
print("left, masked:", answer(left, mask) == alone)
#> left, masked: True
print("left, not masked:", answer(left, [[1] * 6] * 2) == alone)
#> left, not masked: False

right = [[*short, 0, 0, 0], long]
mask = [[1, 1, 1, 0, 0, 0], [1] * 6]
print("right, masked:", answer(right, mask) == alone)
#> right, masked: False

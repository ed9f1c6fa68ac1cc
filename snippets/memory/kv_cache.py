"""The KV cache of a language model grows with every token and every sequence.

语言模型的 KV 缓存：每多一个词元、每多一条序列，都要变大。
"""

import torch

layers, key_heads, head_size = 32, 8, 128


def kv_cache(sequences, tokens):
    shape = sequences, key_heads, tokens, head_size
    # zh: 每层一份键、一份值；meta 设备上只有形状。
    # en: Keys and values of every layer; on meta there are shapes alone.
    return [
        torch.empty(shape, dtype=torch.bfloat16, device="meta")
        for _ in range(2 * layers)
    ]


for sequences, tokens in (1, 1), (1, 32768), (8, 32768):
    size = sum(t.nbytes for t in kv_cache(sequences, tokens))
    print(f"{sequences} x {tokens} tokens: {size / 2**20:g} MiB")
    #> 1 x 1 tokens: 0.125 MiB
    #> 1 x 32768 tokens: 4096 MiB
    #> 8 x 32768 tokens: 32768 MiB
    per_token = 2 * layers * key_heads * head_size * 2
    assert size == sequences * tokens * per_token

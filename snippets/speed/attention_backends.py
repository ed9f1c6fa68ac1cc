"""One call, several implementations: choose the one for attention.

一个调用，几种实现：注意力用哪一种可以选。
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dtype, fast = torch.float32, SDPBackend.FLASH_ATTENTION
if device.type == "cuda":
    # zh: GPU 上的 flash 只接受半精度，还要计算能力不低于 8.0。
    # en: On a GPU, flash takes half precision only, and capability 8.0.
    dtype = torch.float16
    if torch.cuda.get_device_capability() < (8, 0):
        fast = SDPBackend.EFFICIENT_ATTENTION

torch.manual_seed(0)
q = torch.rand(1, 2, 8, 16, device=device, dtype=dtype)
attention = torch.nn.functional.scaled_dot_product_attention

with sdpa_kernel(SDPBackend.MATH):
    plain = attention(q, q, q)
with sdpa_kernel(fast):
    quick = attention(q, q, q)
print(torch.allclose(plain, quick, atol=1e-2))
#> True

# zh: 这里用不了的，不会悄悄换一种，而是报错。
# en: One that cannot be used here is not replaced in silence: it raises.
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    try:
        print(attention(q.double(), q.double(), q.double()).dtype)
    except RuntimeError as error:
        print(str(error).split(".")[0])
        #> No viable backend for scaled_dot_product_attention was found

"""A row that is masked entirely: NaN from softmax, zeros from PyTorch.

整行都被遮住：softmax 得到 NaN，PyTorch 自带的注意力得到 0。
"""

import torch
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)
x = torch.randn(1, 2, 4)
# zh: 第一行能看到第一个位置，第二行什么也看不到。
# en: The first row may see the first place, and the second row nothing.
seen = torch.tensor([[True, False], [False, False]])

scores = (x @ x.mT).masked_fill(~seen, -torch.inf)
by_hand = torch.softmax(scores, dim=-1) @ x
print(by_hand.isnan().any(dim=-1).tolist())
#> [[False, True]]

lowest = (x @ x.mT).masked_fill(~seen, torch.finfo(x.dtype).min)
print(torch.softmax(lowest, dim=-1)[0, 1].tolist())
#> [0.5, 0.5]

built_in = scaled_dot_product_attention(x, x, x, attn_mask=seen)
print(built_in[0, 1].tolist())
#> [0.0, 0.0, 0.0, 0.0]

"""A packed sequence moves as one; its lengths stay on the CPU.

打包的序列整个移动，长度留在 CPU 上。
"""
# needs: cuda

import torch
from torch.nn.utils.rnn import pack_padded_sequence

padded = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]])
packed = pack_padded_sequence(padded, [3, 2], batch_first=True)

moved = packed.to("cuda")
print(moved.data)
#> tensor([1., 4., 2., 5., 3.], device='cuda:0')
print(moved.batch_sizes)
#> tensor([2, 2, 1])

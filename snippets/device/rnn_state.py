"""The first state of an RNN: on the device of the input, or left out.

循环网络的初始隐藏状态：建在输入所在的设备上，或者干脆不传。
"""
# needs: cuda

import torch
from torch import nn

rnn = nn.LSTM(3, 4).to("cuda")
x = torch.zeros(5, 2, 3, device="cuda")


def first_state(device):
    h0 = torch.zeros(1, 2, 4, device=device)
    return h0, torch.zeros_like(h0)


try:
    rnn(x, first_state("cpu"))
except RuntimeError as error:
    print(type(error).__name__)
    #> RuntimeError

given = rnn(x, first_state(x.device))[0]
print(given.device)
#> cuda:0
left_out = rnn(x)[0]
print(torch.equal(left_out, given))
#> True

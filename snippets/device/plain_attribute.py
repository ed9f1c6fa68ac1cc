"""Cause 3: a tensor that is a plain attribute stays behind.

原因三：张量只是普通属性，模型移动时它留在原地。
"""
# needs: cuda

import torch


class Scale(torch.nn.Module):
    def __init__(self, registered):
        super().__init__()
        factor = torch.tensor([2.0, 3.0])
        if registered:
            self.register_buffer("factor", factor)
        else:
            self.factor = factor

    def forward(self, x):
        return x * self.factor


x = torch.ones(2, device="cuda")
try:
    Scale(registered=False).to("cuda")(x)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print(Scale(registered=True).to("cuda")(x))
#> tensor([2., 3.], device='cuda:0')

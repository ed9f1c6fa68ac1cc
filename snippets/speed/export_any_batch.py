"""Export with a batch of any size, and why the example needs two samples.

导出时让 batch 可以是任意大小，示例为什么至少要有两个样本。
"""

import torch
from torch.export import Dim, export

model = torch.nn.Linear(4, 2).eval()
any_batch = {"input": {0: Dim("batch")}}

fixed = export(model, (torch.rand(2, 4),)).module()
try:
    fixed(torch.rand(3, 4))
except AssertionError as error:
    print(str(error).splitlines()[0])
    #> Guard failed: input.size()[0] == 2

program = export(model, (torch.rand(2, 4),), dynamic_shapes=any_batch).module()
print([tuple(program(torch.rand(n, 4)).shape) for n in (1, 3, 64)])
#> [(1, 2), (3, 2), (64, 2)]

try:
    export(model, (torch.rand(1, 4),), dynamic_shapes=any_batch)
except torch._dynamo.exc.UserError as error:
    print("specialized it to be a constant (1)" in str(error))
    #> True

"""torch.save writes the whole storage of a view; clone() leaves only the part.

torch.save 会写出视图的整个存储；clone() 之后才只有那一部分。
"""

from io import BytesIO

import torch

x = torch.zeros(1000, 1000)


def size(value):
    file = BytesIO()
    torch.save(value, file)
    return f"{file.tell() / 1e6:.1f} MB"


print(size(x), size(x[0]), size(x[0].clone()))
#> 4.0 MB 4.0 MB 0.0 MB

# zh: 检查点里除了权重，还有优化器的状态；Adam 给每个权重存两个数。
# en: A checkpoint also holds the optimizer's state: with Adam, two numbers
#   a weight.
model = torch.nn.Linear(1000, 1000)
optimizer = torch.optim.Adam(model.parameters())
model(x).sum().backward()
optimizer.step()
print(size(model.state_dict()), size(optimizer.state_dict()))
#> 4.0 MB 8.0 MB

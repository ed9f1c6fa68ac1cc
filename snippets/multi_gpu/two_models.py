"""Two models, a GPU each: inputs go where the model is, outputs come back.

两个模型各占一块 GPU：输入跟着模型走，输出再收回来。
"""
# needs: cuda:2

import torch

models = [torch.nn.Linear(4, 2).to(f"cuda:{i}") for i in range(2)]
x = torch.rand(3, 4)

# zh: 两块卡同时在算：启动 kernel 不等它算完。
# en: Both GPUs are at work: launching a kernel does not wait for it.
outputs = [model(x.to(model.weight.device)) for model in models]
print(*[y.device for y in outputs])
#> cuda:0 cuda:1

together = torch.cat([y.to("cuda:0") for y in outputs])
print(together.device, tuple(together.shape))
#> cuda:0 (6, 2)

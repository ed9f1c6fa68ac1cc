"""Can a model's result become an array, with gradients and without?

模型的结果能不能变成数组：带梯度时，不带梯度时。
"""

import torch

model = torch.nn.Linear(4, 2)
batch = torch.rand(8, 4)


def as_array(scores):
    try:
        return scores.numpy().shape
    except RuntimeError as error:
        return type(error).__name__


print("as it is:", as_array(model(batch)))
#> as it is: RuntimeError
with torch.no_grad():
    print("under no_grad:", as_array(model(batch)))
    #> under no_grad: (8, 2)

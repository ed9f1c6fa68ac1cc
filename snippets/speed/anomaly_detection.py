"""NaN in the backward pass: anomaly detection names the operation.

反向传播里出现 NaN：异常检测会说出是哪个算子。
"""

import warnings

import torch

# zh: 它会打印前向那一行的位置，这里不看。
# en: It also prints the line of the forward pass, which is not wanted here.
warnings.simplefilter("ignore")

x = torch.zeros(2, requires_grad=True)

# zh: 在 0 处，sqrt 的导数是无穷大，乘 0 就是 NaN。
# en: At 0 the derivative of sqrt is infinite, and times 0 it is NaN.
loss = (x.sqrt() * 0).sum()
loss.backward()
print(loss.item(), x.grad.tolist())
#> 0.0 [nan, nan]

with torch.autograd.detect_anomaly():
    loss = (x.sqrt() * 0).sum()
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)
        #> Function 'SqrtBackward0' returned nan values in its 0th output.

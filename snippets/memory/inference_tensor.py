"""Results of `inference_mode` cannot be trained on, those of `no_grad` can.

`inference_mode` 里的结果以后不能用来训练，`no_grad` 里的可以。
"""

import torch

backbone = torch.nn.Linear(4, 3)
head = torch.nn.Linear(3, 1)
x = torch.rand(2, 4)

# zh: 同样的特征，用两种办法算：都没有计算图。
# en: The same features in two ways; neither has a graph.
with torch.no_grad():
    plain = backbone(x)
with torch.inference_mode():
    special = backbone(x)
print(plain.requires_grad, special.requires_grad)
#> False False
print(plain.is_inference(), special.is_inference())
#> False True

# zh: 然后只训练后面的一层。
# en: Then only the last layer is trained.
head(plain).sum().backward()
try:
    head(special).sum().backward()
except RuntimeError as error:
    print(str(error).split(".")[0])
    #> Inference tensors cannot be saved for backward

# zh: 在块外面 clone 一份，就是普通的张量。
# en: A clone that is made outside the block is an ordinary tensor.
head(special.clone()).sum().backward()
print(head.weight.grad.shape)
#> torch.Size([1, 3])

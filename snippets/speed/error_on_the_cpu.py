"""On the CPU the same mistakes come with a clear message.

同样的错误，在 CPU 上说得清清楚楚。
"""

import torch

F = torch.nn.functional
scores = torch.zeros(2, 10)
labels = torch.tensor([3, 10])

mistakes = {
    "label": lambda: F.cross_entropy(scores, labels),
    "token": lambda: F.embedding(labels, torch.zeros(10, 4)),
    "gather": lambda: scores.gather(1, labels.unsqueeze(1)),
    "BCELoss": lambda: F.binary_cross_entropy(scores - 1, scores),
}
for name, make in mistakes.items():
    try:
        make()
    except (IndexError, RuntimeError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
        #> label: IndexError: Target 10 is out of bounds.
        #> token: IndexError: index out of range in self
        #> gather: RuntimeError: index 10 is out of bounds for dimension 1 with size 10
        #> BCELoss: RuntimeError: all elements of input should be between 0 and 1

# zh: 十类的标签是 0 到 9；改对了，就不报错。
# en: The labels of ten classes are 0 to 9; put right, nothing raises.
print(f"{F.cross_entropy(scores, labels - 1).item():.4f}")
#> 2.3026

"""The gradient of an embedding is as large as the table, unless it is sparse.

词嵌入的梯度和整张表一样大，除非它是稀疏的。
"""

import torch

rows = torch.tensor([4, 7, 7, 900_000])


def numbers(tensor):
    """How many numbers a dense or a sparse tensor stores."""
    # zh: 一个稠密或稀疏的张量存了多少个数。
    if tensor.is_sparse:
        return tensor.coalesce().values().numel()
    return tensor.numel()


for sparse, adam in (False, torch.optim.Adam), (True, torch.optim.SparseAdam):
    table = torch.nn.Embedding(1_000_000, 8, sparse=sparse)
    optimizer = adam(table.parameters())
    table(rows).sum().backward()
    optimizer.step()
    state = optimizer.state[table.weight]
    averages = state["exp_avg"].numel() + state["exp_avg_sq"].numel()
    print(sparse, numbers(table.weight.grad), averages)
    #> False 8000000 16000000
    #> True 24 16000000

try:
    torch.optim.Adam(table.parameters()).step()
except RuntimeError as error:
    print(error)
    #> Adam does not support sparse gradients, please consider SparseAdam instead

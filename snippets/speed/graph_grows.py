"""The graph grows from step to step if a state is carried along without detach.

从一步带到下一步的状态不 detach，计算图就一步比一步大。
"""

import torch

weight = torch.ones(4, 4, requires_grad=True)


def nodes(loss):
    found, todo = set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [following for following, _ in node.next_functions]
    return len(found)


def steps(detach):
    state, counts = torch.zeros(2, 4), []
    for _ in range(5):
        state = (torch.ones(2, 4) + state @ weight).tanh()
        loss = state.sum()
        loss.backward(retain_graph=True)
        counts.append(nodes(loss))
        if detach:
            state = state.detach()
    return counts


# zh: 反向传播要走过图里的每个节点。
# en: The backward pass visits every node of the graph.
print(steps(detach=False))
#> [5, 8, 11, 14, 17]
print(steps(detach=True))
#> [5, 5, 5, 5, 5]

"""Where Adam's `step` is after loading: on the CPU, or with the parameter.

加载之后，Adam 的 `step` 在哪里：在 CPU 上，还是和参数在一起。
"""

import torch


def devices(**options):
    x = torch.nn.Parameter(torch.ones(2))
    saved = torch.optim.Adam([x], **options)
    x.sum().backward()
    saved.step()
    # zh: meta 设备代替 GPU：不用 GPU 也能看到状态去了哪里。
    # en: The meta device in place of a GPU shows where the state goes.
    there = torch.nn.Parameter(torch.ones(2, device="meta"))
    optimizer = torch.optim.Adam([there], **options)
    optimizer.load_state_dict(saved.state_dict())
    state = optimizer.state[there]
    return {name: str(value.device) for name, value in state.items()}


print("default:", devices())
#> default: {'step': 'cpu', 'exp_avg': 'meta', 'exp_avg_sq': 'meta'}
print("fused:", devices(fused=True))
#> fused: {'step': 'meta', 'exp_avg': 'meta', 'exp_avg_sq': 'meta'}

"""What is not in the checkpoint stays on meta: look for it.

检查点里没有的东西会留在 meta 上：要查一遍。
"""

import torch


class Positions(torch.nn.Linear):
    def __init__(self, **where):
        super().__init__(2, 1, **where)
        table = torch.arange(2.0, **where)
        self.register_buffer("table", table, persistent=False)


model = Positions(device="meta")
model.load_state_dict(Positions().state_dict(), assign=True)

named = [*model.named_parameters(), *model.named_buffers()]
print([name for name, x in named if x.is_meta])
#> ['table']

"""Two orders of one sum round differently: compare with a tolerance.

同一个和，顺序不同，舍入就不同：比较时要留出误差。
"""

import torch

large, one = torch.tensor(1e8), torch.tensor(1.0)
print("left to right:", (large + one - large).item())
#> left to right: 0.0
print("another order:", (large - large + one).item())
#> another order: 1.0

torch.manual_seed(0)
rows = torch.rand(1024, 64)
forward, backward = torch.zeros(64), torch.zeros(64)
for row in rows:
    forward += row
for row in rows.flip(0):
    backward += row
print("equal to the last bit:", torch.equal(forward, backward))
#> equal to the last bit: False
torch.testing.assert_close(forward, backward, rtol=1e-5, atol=0)

# zh: 两个都和 float64 比，才知道误差是不是只来自舍入。
# en: Compared with float64, both are off by rounding only.
exact = rows.double().sum(dim=0)
for result in (forward, backward):
    error = ((result - exact).abs() / exact).max().item()
    print("off by less than 1e-5:", error < 1e-5)
    #> off by less than 1e-5: True
    #> off by less than 1e-5: True

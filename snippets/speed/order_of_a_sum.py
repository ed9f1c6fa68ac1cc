"""Two orders of one sum round differently: compare with a tolerance.

同一个和，次序不同，舍入就不同：比较时要留出误差。
"""

import torch

large, one = torch.tensor(1e8), torch.tensor(1.0)
print("left to right:", (large + one - large).item())
#> left to right: 0.0
print("another order:", (large - large + one).item())
#> another order: 1.0

torch.manual_seed(0)
a, b = torch.rand(64, 1024), torch.rand(1024, 64)
whole = a @ b
halves = a[:, :512] @ b[:512] + a[:, 512:] @ b[512:]
print("equal to the last bit:", torch.equal(whole, halves))
#> equal to the last bit: False
torch.testing.assert_close(whole, halves, rtol=1e-5, atol=0)

# zh: 两个都和 float64 比，才知道误差是不是只来自舍入。
# en: Compared with float64, both are off by rounding only.
exact = a.double() @ b.double()
for result in (whole, halves):
    error = ((result - exact).abs() / exact).max().item()
    print("off by less than 1e-5:", error < 1e-5)
    #> off by less than 1e-5: True
    #> off by less than 1e-5: True

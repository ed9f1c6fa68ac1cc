"""The same matrix product in four precisions: how long, how exact.

同一个矩阵乘法用四种精度：各要多久，差多少。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

assert torch.cuda.get_device_capability() >= (8, 0), "no TF32 here"

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)

a = torch.rand(8192, 8192, device="cuda")
exact = a[:64].double() @ a.double()
ms, error = {}, {}


def measure(name, a):
    a @ a
    begin.record()
    for _ in range(5):
        y = a @ a
    end.record()
    end.synchronize()
    ms[name] = begin.elapsed_time(end) / 5
    error[name] = ((y[:64].double() - exact).abs() / exact).max().item()
    print(f"{name:8} {ms[name]:6.2f} ms, error {error[name]:.0e}")


for name, precision in (("float32", "ieee"), ("TF32", "tf32")):
    torch.backends.cuda.matmul.fp32_precision = precision
    measure(name, a)
measure("bfloat16", a.bfloat16())
measure("float16", a.half())

assert ms["bfloat16"] < ms["float32"] / 2 and ms["float16"] < ms["float32"] / 2
assert error["float32"] < error["TF32"] < error["bfloat16"]

"""The same matrix product in four precisions: how long, how exact.

同一个矩阵乘法用四种精度：各要多久，差多少。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)

a = torch.randn(8192, 8192, device="cuda")
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
    # zh: 最大的误差，和结果的标准差相比。
    # en: The largest error, compared with the results' standard deviation.
    error[name] = ((y[:64].double() - exact).abs().max() / exact.std()).item()
    print(f"{name:8} {ms[name]:6.2f} ms, error {error[name]:.0e}")


torch.backends.cuda.matmul.fp32_precision = "ieee"
measure("float32", a)
measure("float16", a.half())
if torch.cuda.get_device_capability() >= (8, 0):
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    measure("TF32", a)
    measure("bfloat16", a.bfloat16())
    assert ms["bfloat16"] < ms["float32"]
    assert error["float32"] < error["TF32"] < error["bfloat16"]
else:
    print("no TF32 and no bfloat16 in hardware below capability 8.0")
assert error["float32"] < error["float16"]

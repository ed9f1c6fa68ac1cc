"""A freed block that another stream still uses is `active_pending_free`.

释放了、但其他流还在用的块，状态是 `active_pending_free`。
"""
# needs: cuda
# simulated: no

import torch

side = torch.cuda.Stream()
x = torch.empty(30 * 2**20, dtype=torch.uint8, device="cuda")


def state():
    (segment,) = torch.cuda.memory_snapshot()
    return [block["state"] for block in segment["blocks"]]


before = state()
with torch.cuda.stream(side):
    # zh: side 空等一亿个时钟周期（PyTorch 测试用的私有函数）。
    # en: Side idles for 10**8 clock cycles (a private function for tests).
    torch.cuda._sleep(10**8)
x.record_stream(side)
del x

after = state()
print(before, after, torch.cuda.memory_allocated() // 2**20, "MiB")
assert before == ["active_allocated"]
assert after == ["active_pending_free"]

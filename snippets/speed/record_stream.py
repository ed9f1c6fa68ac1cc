"""`record_stream`: this memory is still in use on another stream.

`record_stream`：这块显存另一条流还在用。
"""
# needs: cuda
# simulated: no

import torch

side = torch.cuda.Stream()
main = torch.cuda.current_stream()


def run(record):
    x = torch.ones(2**20, device="cuda")
    address = x.data_ptr()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        # zh: 让 side 空等一亿个时钟周期，只占一个线程。
        #   这是 PyTorch 测试自己用的私有函数。
        # en: Side idles for 10**8 clock cycles, in a single thread. PyTorch
        #   has this private function for its own tests.
        torch.cuda._sleep(10**8)
        y = x * 2
    if record:
        x.record_stream(side)
    del x

    # zh: side 还没有读到 x，它的显存就分给了 z。
    # en: Side has not read x yet, and its memory goes to z.
    z = torch.zeros(2**20, device="cuda")
    reused = z.data_ptr() == address
    torch.cuda.synchronize()
    return f"reused: {reused}, y: {y.mean().item()}"


# zh: 预热：先把显存备好，用到的 kernel 也加载好。
# en: Warm up: have the memory ready, and the kernels loaded.
run(record=True)
print("not recorded,", run(record=False))
recorded = run(record=True)
print("recorded,    ", recorded)
assert recorded == "reused: False, y: 2.0"

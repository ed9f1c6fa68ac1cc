"""A side stream waits for nobody: make it wait, before and after.

另一条流谁也不等：用之前、用之后都要让它们等。
"""
# needs: cuda
# simulated: no

import torch

side = torch.cuda.Stream()
main = torch.cuda.current_stream()
x = torch.zeros(2**20, device="cuda")


def run(wait):
    x.zero_()
    torch.cuda.synchronize()
    # zh: 让默认流空等一亿个时钟周期，然后才把 x 填成 1。
    #   这是 PyTorch 测试自己用的私有函数，只占一个线程。
    # en: The main stream idles for 10**8 clock cycles before it fills x.
    #   The private function takes one thread; PyTorch's own tests use it.
    torch.cuda._sleep(10**8)
    x.fill_(1)

    # zh: x 是默认流里算的，side 用它之前要等。
    # en: x is made on the main stream: side has to wait before it uses x.
    if wait:
        side.wait_stream(main)
    with torch.cuda.stream(side):
        y = x.clone()

    # zh: y 是 side 里算的，默认流用它之前要等。
    # en: y is made on side: the main stream has to wait before it uses y.
    main.wait_stream(side)
    y.record_stream(main)
    return y.mean().item()


# zh: 第一次也是预热：用到的 kernel 都加载好了。
# en: The first run also warms up: its kernels are loaded by then.
waited = run(wait=True)
print("waited:      ", waited)
print("did not wait:", run(wait=False))
assert waited == 1

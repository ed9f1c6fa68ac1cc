"""A side stream waits for nobody: make it wait, before and after.

另一条流谁也不等：用之前、用之后都要让它们等。
"""
# needs: cuda
# simulated: no

import torch

side = torch.cuda.Stream()
main = torch.cuda.current_stream()
busy = torch.ones(8192, 8192, device="cuda")
x = torch.zeros(2**20, device="cuda")


def run(wait):
    x.zero_()
    for _ in range(10):
        (busy @ busy).mul_(0.5)
    x.fill_(1)

    # zh: x 是主流里算的，side 用它之前要等。
    # en: x is made on the main stream: side has to wait before it uses x.
    if wait:
        side.wait_stream(main)
    with torch.cuda.stream(side):
        y = x.clone()

    # zh: y 是 side 里算的，主流用它之前要等。
    # en: y is made on side: the main stream has to wait before it uses y.
    main.wait_stream(side)
    y.record_stream(main)
    return y.mean().item()


print("waited:      ", run(wait=True))
print("did not wait:", run(wait=False))

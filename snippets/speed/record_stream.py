"""`record_stream`: this memory is still in use on another stream.

`record_stream`：这块显存另一条流还在用。
"""
# needs: cuda
# simulated: no

import torch

side = torch.cuda.Stream()
main = torch.cuda.current_stream()
busy = torch.ones(8192, 8192, device="cuda")


def run(record):
    x = torch.ones(2**20, device="cuda")
    address = x.data_ptr()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        for _ in range(10):
            busy @ busy
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


# zh: 预热：先把显存备好。
# en: Warm up: have the memory ready.
run(record=True)
print("not recorded,", run(record=False))
print("recorded,    ", run(record=True))

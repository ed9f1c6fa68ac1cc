"""Memory that another stream reads: how many blocks each way needs.

另一条流还在读的显存：每种写法要占几块。
"""
# needs: cuda
# simulated: no
# measures: yes

from collections import deque

import torch

LAYERS, SIZE = 4, 4096
side = torch.cuda.Stream()
main = torch.cuda.current_stream()
x = torch.ones(SIZE, SIZE, device="cuda")


def run(way):
    torch.cuda.empty_cache()
    kept, addresses, outputs = deque(), set(), []
    for layer in range(1, LAYERS + 1):
        # zh: 保留两块：要用第三块时，先让 side 等，再放掉最早的一块。
        # en: Two are kept. Before a third one, make side wait, then release
        #   the oldest.
        if len(kept) == 2:
            weight, used = kept.popleft()
            side.wait_event(used)
            del weight

        with torch.cuda.stream(side):
            weight = torch.full((SIZE, SIZE), float(layer), device="cuda")
        addresses.add(weight.data_ptr())
        main.wait_stream(side)
        outputs.append(x @ weight)
        used = main.record_event()

        if way == "record_stream":
            weight.record_stream(main)
        elif way == "wait, then del":
            side.wait_event(used)
        elif way == "keep two":
            kept.append((weight, used))
        del weight

    # zh: 全部算完之后才放掉最后两块，所以不用再等。
    # en: The last two are released when all is done, so nothing has to wait.
    torch.cuda.synchronize()
    right = all(
        bool((y == SIZE * layer).all()) for layer, y in enumerate(outputs, 1)
    )
    print(f"{way:14} blocks: {len(addresses)}, right: {right}")
    return len(addresses), right


run("wait, then del")
run("del at once")
blocks, right = run("record_stream")
assert right and blocks <= LAYERS
assert run("wait, then del") == (1, True)
assert run("keep two") == (2, True)

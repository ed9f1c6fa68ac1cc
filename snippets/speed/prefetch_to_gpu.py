"""Copy the next batch while the GPU computes this one.

GPU 在算这一批时，先拷贝下一批。
"""
# needs: cuda
# simulated: no

import torch
from torch.utils.data import DataLoader


def prefetch(loader, device):
    side = torch.cuda.Stream(device)
    main = torch.cuda.current_stream(device)
    ready = None
    for batch in loader:
        with torch.cuda.stream(side):
            coming = batch.to(device, non_blocking=True)
        if ready is not None:
            yield ready
        main.wait_stream(side)
        # zh: 它建在 side 上，却在主流里用。
        # en: It is made on side and used on the main stream.
        coming.record_stream(main)
        ready = coming
    if ready is not None:
        yield ready


loader = DataLoader(torch.arange(7), batch_size=3, pin_memory=True)
for batch in prefetch(loader, "cuda:0"):
    print(batch.device, (batch * 2).tolist())

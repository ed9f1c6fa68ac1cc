"""How long a copy to the GPU holds the CPU up, and whether it is reported.

往 GPU 拷贝会让 CPU 停多久，同步调试模式又会不会报告。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import torch

busy = torch.ones(8192, 8192, device="cuda")
result = torch.empty_like(busy)
computed = torch.cuda.Event()


def copy(host):
    target = torch.empty_like(host, device="cuda")
    # zh: 先让 GPU 有活干：拷贝排在这些计算后面。
    # en: Give the GPU work first, so that the copy has to queue behind it.
    for _ in range(20):
        torch.mm(busy, busy, out=result)
    computed.record()

    torch.cuda.set_sync_debug_mode("error")
    start = time.perf_counter()
    target.copy_(host, non_blocking=True)
    milliseconds = (time.perf_counter() - start) * 1e3
    torch.cuda.set_sync_debug_mode("default")

    # zh: 计算还没完成，说明 CPU 没有等 GPU。
    # en: If the work is not done yet, the CPU did not wait for the GPU.
    waited = computed.query()
    torch.cuda.synchronize()
    return milliseconds, waited


for size in (4 * 2**10, 64 * 2**20):
    pageable = torch.ones(size, dtype=torch.uint8)
    # zh: 锁页张量中不连续的一部分，要先在普通内存里拼成连续的。
    # en: Part of a pinned tensor that is not contiguous is first gathered in
    #   ordinary memory.
    strided = torch.ones(2 * size, dtype=torch.uint8).pin_memory()[::2]
    assert strided.is_pinned() and not strided.contiguous().is_pinned()
    pinned = pageable.pin_memory()
    hosts = {"pageable": pageable, "strided": strided, "pinned": pinned}
    for name, host in hosts.items():
        copy(host)
        milliseconds, waited = copy(host)
        print(
            f"{size // 2**10:6} KiB {name:8} {milliseconds:8.3f} ms, "
            f"waited: {waited}"
        )
        # zh: 锁页内存的拷贝，预期不用等。
        # en: A copy from pinned memory is expected not to wait.
        assert name != "pinned" or not waited

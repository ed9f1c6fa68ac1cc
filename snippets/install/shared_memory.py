"""How much shared memory DataLoader workers have: 64 MB in a plain container.

DataLoader 的 worker 有多少共享内存：没有设置的容器里只有 64 MB。
"""
# needs: linux
# measures: yes

import shutil

shm = shutil.disk_usage("/dev/shm")
print(f"/dev/shm: {shm.total / 2**20:.0f} MiB")

# zh: worker 把每个 batch 放在这里交给主进程。太小就会报 Bus error。
# en: Workers hand batches over here: too small, and they die of a Bus error.
print(f"one batch of 64 images: {64 * 3 * 224 * 224 * 4 / 2**20:.0f} MiB")

"""`mmap=True` reads the file where it is used, not as a whole.

`mmap=True` 用到哪里读到哪里，不会把整个文件读进内存。
"""
# needs: linux
# measures: yes

import tempfile
from pathlib import Path

import torch


def memory():
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "checkpoint.pt")
    torch.save({"weight": torch.ones(64 * 2**18)}, path)
    taken = {}
    for mmap in (False, True):
        before = memory()
        checkpoint = torch.load(path, mmap=mmap)
        taken[mmap] = memory() - before
        print(f"mmap={mmap}: {taken[mmap]:.0f} MiB")
        del checkpoint

assert taken[False] > 60 and taken[True] < 10

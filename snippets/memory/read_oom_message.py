"""The numbers of an out-of-memory message, and what they add up to.

显存不足的报错里有哪些数，加起来说明什么。
"""

import re

message = """CUDA out of memory. Tried to allocate 22.78 GiB. GPU 0 has a total
capacity of 31.47 GiB of which 12.73 GiB is free. Including non-PyTorch memory,
this process has 18.73 GiB memory in use. Of the allocated memory 9.08 GiB is
allocated by PyTorch, and 9.35 GiB is reserved by PyTorch but unallocated."""

NUMBER = r"([\d.]+)\s+(bytes|[KMG]iB)"
UNITS = {"bytes": 1 / 2**30, "KiB": 1 / 2**20, "MiB": 1 / 2**10, "GiB": 1}


# zh: 按文字找数，因为报错里可能多出几个数，例如其他进程的。
# en: Found by its words, because a message may have more numbers, such as
#   those of other processes.
def gib(words):
    pattern = words.replace(" ", r"\s+").replace("#", NUMBER)
    size, unit = re.search(pattern, message).groups()
    return float(size) * UNITS[unit]


tried = gib("Tried to allocate #")
total = gib("capacity of #")
free = gib("of which # is free")
process = gib("this process has # memory")
allocated = gib("# is allocated by")
cached = gib("# is reserved by")

print(f"other processes       {total - free - process:.2f} GiB")
#> other processes       0.01 GiB
print(f"context and libraries {process - allocated - cached:.2f} GiB")
#> context and libraries 0.30 GiB
print(f"free and cached       {free + cached:.2f} GiB")
#> free and cached       22.08 GiB
print("would fit in one piece:", tried <= free + cached)
#> would fit in one piece: False
print("would fit on the card:", tried <= total)
#> would fit on the card: True

"""Threads become warps and blocks, and blocks run on the SMs in waves.

线程组成线程束和线程块，线程块一批一批地在 SM 上执行。
"""

import math

SMS = 108
THREADS_PER_BLOCK = 256
WARP = 32


def waves(numbers):
    """For one thread per number and one block at a time on each SM."""
    # zh: 每个线程算一个数，每个 SM 上一次只有一个线程块。
    blocks = math.ceil(numbers / THREADS_PER_BLOCK)
    rounds = math.ceil(blocks / SMS)
    busy = blocks / (rounds * SMS)
    return f"{blocks} blocks, {rounds} waves, {busy:.0%} busy"


print("warps in a block:", THREADS_PER_BLOCK // WARP)
#> warps in a block: 8
for numbers in (1000, 108 * 256, 108 * 256 + 1, 10_000_000):
    print(f"{numbers}:", waves(numbers))
    #> 1000: 4 blocks, 1 waves, 4% busy
    #> 27648: 108 blocks, 1 waves, 100% busy
    #> 27649: 109 blocks, 2 waves, 50% busy
    #> 10000000: 39063 blocks, 362 waves, 100% busy

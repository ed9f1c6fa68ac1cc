"""`Timer` computes with one CPU thread unless you ask for more.

`Timer` 默认只用一个 CPU 线程，要多用得写明。
"""
# leaves: threads

import torch
from torch.utils.benchmark import Timer

torch.set_num_threads(3)
seen = []

for options in ({}, {"num_threads": torch.get_num_threads()}):
    seen.clear()
    timer = Timer(
        "seen.append(torch.get_num_threads())",
        globals={"seen": seen, "torch": torch},
        **options,
    )
    timer.timeit(5)
    print(options, set(seen))
    #> {} {1}
    #> {'num_threads': 3} {3}

print(torch.get_num_threads())
#> 3

"""memory_cached() is an old name of memory_reserved(): it warns.

memory_cached() 是 memory_reserved() 的旧名字，调用时会警告。
"""

import warnings

import torch

renamed = {
    torch.cuda.memory_cached: torch.cuda.memory_reserved,
    torch.cuda.max_memory_cached: torch.cuda.max_memory_reserved,
}
for old, new in renamed.items():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        same = old() == new()
    print(old.__name__, "->", new.__name__)
    #> memory_cached -> memory_reserved
    #> max_memory_cached -> max_memory_reserved
    print(same, [one.category.__name__ for one in caught])
    #> True ['FutureWarning']
    #> True ['FutureWarning']

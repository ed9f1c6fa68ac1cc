"""Two messages: which argument is elsewhere, and who complained.

两条报错：哪个参数在别处，是谁报的。
"""

import re

messages = [
    "Expected all tensors to be on the same device, but got mat1 is on "
    "cpu, different from other tensors on cuda:0 (when checking argument "
    "in method wrapper_CUDA_addmm)",
    "Expected all tensors to be on the same device, but found at least "
    "two devices, cuda:0 and cpu!",
]

for message in messages:
    found = re.search(r"got (\w+) is on (\w+)", message)
    print(found.groups() if found else "no name given")
    #> ('mat1', 'cpu')
    #> no name given

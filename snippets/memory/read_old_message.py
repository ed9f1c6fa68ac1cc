"""The message of older PyTorch: reserved, with the allocated inside it.

旧版 PyTorch 的报错：reserved 里面包含 allocated。
"""

import re

message = """CUDA out of memory. Tried to allocate 74.00 MiB (GPU 0; 11.91 GiB
total capacity; 10.79 GiB already allocated; 12.94 MiB free; 11.21 GiB reserved
in total by PyTorch)"""

MIB = {"MiB": 1, "GiB": 1024}
found = re.findall(r"([\d.]+) ([MG]iB)", message)
tried, total, allocated, free, reserved = (
    float(number) * MIB[unit] for number, unit in found
)

print(f"cached     {reserved - allocated:.0f} MiB")
#> cached     430 MiB
print(f"elsewhere  {total - free - reserved:.0f} MiB")
#> elsewhere  704 MiB
print(f"tried      {tried:.0f} MiB, with {free:.0f} MiB free")
#> tried      74 MiB, with 13 MiB free
print("cache larger than the request:", reserved - allocated > tried)
#> cache larger than the request: True

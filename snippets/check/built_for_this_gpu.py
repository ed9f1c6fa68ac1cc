"""Was this build of PyTorch compiled for this GPU?

这个 PyTorch 有没有为这块 GPU 编译？
"""
# needs: cuda
# simulated: no

import torch

major, minor = torch.cuda.get_device_capability()
built_for = torch.cuda.get_arch_list()

print(f"this GPU: sm_{major}{minor}")
print("built for:", ", ".join(built_for))

# zh: 同一代里，为较小编号编译的代码在较大编号的 GPU 上也能跑。
# en: Within a generation, code for a smaller number runs on a larger one.
same = [name for name in built_for if name.startswith(f"sm_{major}")]
print(any(int(name[4:].rstrip("af")) <= minor for name in same))

"""Which libraries this PyTorch uses, and in which version.

这个 PyTorch 用的是哪些计算库，各是什么版本。
"""
# measures: yes

import torch

print("CUDA: ", torch.version.cuda)
print("cuDNN:", torch.backends.cudnn.version())

has_nccl = torch.distributed.is_available() and (
    torch.distributed.is_nccl_available()
)
print("NCCL: ", torch.cuda.nccl.version() if has_nccl else None)

# zh: CPU 上用的两个。
# en: The two for the CPU.
print("MKL:  ", torch.backends.mkl.is_available())
print("oneDNN:", torch.backends.mkldnn.is_available())

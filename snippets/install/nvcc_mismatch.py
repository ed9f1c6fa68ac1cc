"""Compiling an extension needs an nvcc of torch's own major version.

编译扩展时，nvcc 的主版本要和 torch 的一致。
"""
# needs: linux

import logging
import tempfile
from pathlib import Path

import torch
from torch.torch_version import TorchVersion
from torch.utils import cpp_extension

logging.disable()

with tempfile.TemporaryDirectory() as folder:
    # zh: 一个自称 11.8 的假 nvcc，放在 CUDA_HOME 里。
    # en: A pretended nvcc that says 11.8, in CUDA_HOME.
    nvcc = Path(folder, "bin", "nvcc")
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\necho 'release 11.8'\n")
    nvcc.chmod(0o755)
    cpp_extension.CUDA_HOME = folder

    # zh: 假装 torch 是用这些 CUDA 编译的，再做编译前的那次检查。
    # en: Pretend torch was built with these, and run the check of a build.
    for torch.version.cuda in ("11.6", "12.4"):
        try:
            cpp_extension._check_cuda_version("g++", TorchVersion("11.0"))
            print(torch.version.cuda, "goes on")
            #> 11.6 goes on
        except RuntimeError as error:
            print(torch.version.cuda, str(error.args[0]).partition(" (")[0])
            #> 12.4 The detected CUDA version

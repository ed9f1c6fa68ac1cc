"""What machine this is, as a record names it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

CPU = "cpu"
CUDA_BUILD_NO_GPU = "cuda-build-no-gpu"
_FORM_FACTOR = re.compile(r"^(\d+gb|hbm\w*|sxm\w*|pcie|nvl)$")


@dataclass(frozen=True)
class Environment:
    """GPU, driver, CUDA, torch and Python of one machine, and the day on which it was asked."""

    id: str
    """`cpu`, `cuda-build-no-gpu`, `apple-mps` or the GPU's name, e.g. `nvidia-h100`."""
    gpu: str
    gpus: int
    driver: str
    cuda: str
    torch: str
    python: str
    system: str
    date: str

    @property
    def has_gpu(self) -> bool:
        """Whether snippets that need CUDA can run here."""
        return self.gpus > 0


@dataclass(frozen=True)
class Abilities:
    """What snippets may need of a machine besides GPUs. No record holds these facts."""

    linux: bool = True
    capability: tuple[int, int] = (0, 0)
    """The lowest compute capability of its GPUs; (0, 0) without any."""
    triton: bool = False
    """Whether Triton is installed, and where it calls a C compiler, that and Python's headers."""
    wddm: bool = False
    """Whether the driver is that of Windows, which WSL2 uses, too."""


@cache
def abilities(gpu: bool) -> Abilities:
    """Ask this machine, and if there is a `gpu`, that too.

    CUDA is initialised in a process of its own, which ends at once.
    """
    return Abilities(
        linux=platform.system() == "Linux",
        capability=_capability() if gpu else (0, 0),
        triton=_triton(),
        wddm=platform.system() == "Windows" or is_wsl(),
    )


def is_wsl() -> bool:
    """Whether this is the Windows Subsystem for Linux: the name of its kernel says so."""
    return platform.system() == "Linux" and "microsoft" in platform.release().lower()


_ASK_CAPABILITY = """
import torch
gpus = range(torch.cuda.device_count() if torch.cuda.is_available() else 0)
print(*min((torch.cuda.get_device_capability(gpu) for gpu in gpus), default=(0, 0)))
"""


def _capability() -> tuple[int, int]:
    """The lowest compute capability of the GPUs here; (0, 0) where there is no answer."""
    command = [sys.executable, "-c", _ASK_CAPABILITY]
    with contextlib.suppress(subprocess.SubprocessError, OSError, ValueError):
        asked = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        major, minor = asked.stdout.split()[-2:]
        return int(major), int(minor)
    return (0, 0)


def _triton() -> bool:
    """Whether Triton can compile here; on Windows its package brings a compiler along."""
    if importlib.util.find_spec("triton") is None:
        return False
    if platform.system() == "Windows":
        return True
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    return bool(compiler) and Path(sysconfig.get_paths()["include"], "Python.h").is_file()


def describe() -> Environment:
    """Ask this machine. Imports torch, and initialises CUDA where there is a GPU."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    gpu = torch.cuda.get_device_name(0) if gpus else ""
    if gpus:
        identity = slug(gpu) + (f"-x{gpus}" if gpus > 1 else "")
    elif torch.backends.mps.is_available():
        identity = "apple-mps"
    else:
        identity = CUDA_BUILD_NO_GPU if torch.version.cuda else CPU
    return Environment(
        id=identity,
        gpu=gpu,
        gpus=gpus,
        driver=_driver() if gpus else "",
        cuda=torch.version.cuda or "",
        torch=str(torch.__version__),
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        date=datetime.now(UTC).date().isoformat(),
    )


def slug(gpu: str) -> str:
    """A GPU's name as a file's: `NVIDIA H100 80GB HBM3` is `nvidia-h100`."""
    words = re.findall(r"[a-z0-9]+", gpu.lower())
    kept = [word for word in words if not _FORM_FACTOR.match(word)]
    return "-".join(kept) or "gpu"


def _driver() -> str:
    """The driver's version by nvidia-smi, or "" where that is not to be had."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    command = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    with contextlib.suppress(subprocess.SubprocessError, OSError):
        asked = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return asked.stdout.split("\n")[0].strip()
    return ""

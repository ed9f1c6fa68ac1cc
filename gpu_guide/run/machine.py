"""Description of this machine, as a record names it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from gpu_guide.problems import GuideError, fault
from gpu_guide.stand_in.machine import MARK

SETTINGS = (
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "PYTORCH_NVML_BASED_CUDA_CHECK",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUBLAS_WORKSPACE_CONFIG",
    "TORCH_CUBLAS_WORKSPACE_CACHE",
    "NVIDIA_TF32_OVERRIDE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
)
"""Variables that change what code on a GPU does: whatever is run for the guide runs without them,
so that what it prints is what a reader sees who has set none of them."""

CPU = "cpu"
CUDA_BUILD_NO_GPU = "cuda-build-no-gpu"
_FORM_FACTOR = re.compile(r"^(\d+gb|hbm\w*|sxm\w*|pcie|nvl)$")


@dataclass(frozen=True)
class Environment:
    """GPU, driver, CUDA, torch and Python of one machine, and the day on which it was asked."""

    id: str
    """`cpu`, `cuda-build-no-gpu`, `apple-mps` or the GPU's name, e.g. `nvidia-h100`; behind it what
    else distinguishes two machines with one card, e.g. `nvidia-geforce-rtx-4090-wsl2`. Of a
    stand-in GPU card and torch, e.g. `stand-in-h100-torch-2.13.0`."""
    gpu: str
    gpus: int
    driver: str
    cuda: str
    torch: str
    python: str
    system: str
    date: str
    wsl: bool = False
    """Whether it is Linux below Windows, whose driver it uses."""
    mig: str = ""
    """The profile of the MIG instance, e.g. `1g.10gb`; nothing on a whole GPU."""
    clocks: str = ""
    """The GPU's highest clocks and the most that it may draw, as nvidia-smi prints them."""
    stand_in: str = ""
    """The card in data/cards.yml that a stand-in GPU plays; nothing on real hardware."""

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
    free: int = 0
    """Bytes of GPU memory that are free, where the least are; 0 without any GPU."""
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
        capability=min((one.capability for one in _gpus()), default=(0, 0)) if gpu else (0, 0),
        free=min((one.free for one in _gpus()), default=0) if gpu else 0,
        triton=_triton() and not stand_in(),
        wddm=platform.system() == "Windows" or is_wsl(),
    )


def is_wsl() -> bool:
    """Whether this is the Windows Subsystem for Linux: the name of its kernel says so."""
    return platform.system() == "Linux" and "microsoft" in platform.release().lower()


@dataclass(frozen=True)
class Gpu:
    """One GPU as CUDA describes it."""

    name: str
    capability: tuple[int, int]
    free: int
    """Bytes that no process uses, as long as nothing else runs on it."""


_ASK_GPUS = """
import json, torch
gpus = range(torch.cuda.device_count() if torch.cuda.is_available() else 0)
print(json.dumps([[torch.cuda.get_device_name(gpu), torch.cuda.get_device_capability(gpu),
                   torch.cuda.mem_get_info(gpu)[0]] for gpu in gpus]))
"""


@cache
def _gpus() -> tuple[Gpu, ...]:
    """The GPUs that PyTorch can use here, asked once. Raises GuideError if there is no answer.

    CUDA is initialised in a process of its own: what it holds is free again when that ends, and
    whatever is forked from this process can still initialise it.
    """
    command = [sys.executable, "-c", _ASK_GPUS]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except (subprocess.SubprocessError, OSError) as error:
        raise _unanswered(error) from None
    try:
        answer = json.loads(asked.stdout.strip().rpartition("\n")[2])
        return tuple(Gpu(name, tuple(capability), free) for name, capability, free in answer)
    except (ValueError, TypeError):
        raise _unanswered(asked.stderr.strip()) from None


def _unanswered(why: object) -> GuideError:
    remedy = "see what snippets/check/doctor.py says of this machine"
    return fault(None, None, f"PyTorch did not say which GPUs it sees: {why}", remedy)


def _triton() -> bool:
    """Whether Triton can compile here; on Windows its package brings a compiler along."""
    if importlib.util.find_spec("triton") is None:
        return False
    if platform.system() == "Windows":
        return True
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    return bool(compiler) and Path(sysconfig.get_paths()["include"], "Python.h").is_file()


def _torch() -> tuple[str, str]:
    """The version of PyTorch and of the CUDA that it is built with, or "" without.

    It is read from the file that holds it: to import torch takes seconds.
    """
    if "torch" not in sys.modules:
        spec = importlib.util.find_spec("torch")
        for folder in (spec and spec.submodule_search_locations) or ():
            names = runpy.run_path(str(Path(folder, "version.py")))
            return str(names["__version__"]), names["cuda"] or ""
    import torch

    return str(torch.__version__), torch.version.cuda or ""


def _has_mps() -> bool:
    """Whether PyTorch can use an Apple GPU."""
    if platform.system() != "Darwin":
        return False
    import torch

    return torch.backends.mps.is_available()


def describe() -> Environment:
    """Ask this machine, in another process where CUDA has to be initialised for that.

    Raises GuideError where that process does not answer.
    """
    version, cuda = _torch()
    gpus = _gpus() if cuda else ()
    gpu, card = gpus[0].name if gpus else "", stand_in()
    wsl, mig = is_wsl(), _mig_profile(gpu)
    if card:
        words = ["stand-in", card, "torch", version.partition("+")[0]]
    elif gpus:
        words = [
            slug(gpu),
            f"mig-{mig.replace('.', '-')}" if mig else "",
            f"x{len(gpus)}" if len(gpus) > 1 else "",
        ]
    elif _has_mps():
        words = ["apple-mps"]
    else:
        words = [CUDA_BUILD_NO_GPU if cuda else CPU]
    if cuda and not card:
        words += ["wsl2"] if wsl else []
        words += [platform.system().lower()] if platform.system() != "Linux" else []
    return Environment(
        id="-".join(word for word in words if word),
        gpu=gpu,
        gpus=len(gpus),
        driver=_asked_of_nvidia_smi("driver_version") if gpus and not card else "",
        cuda=cuda,
        torch=version,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        date=datetime.now(UTC).date().isoformat(),
        wsl=wsl,
        mig=mig,
        clocks=_clocks() if gpus and not card else "",
        stand_in=card,
    )


def stand_in() -> str:
    """The card that a stand-in GPU plays in this process; "" where CUDA is the real one."""
    return os.environ.get(MARK, "")


def _mig_profile(gpu: str) -> str:
    """The profile of a MIG instance, which CUDA writes behind the GPU's name; else ""."""
    match = re.search(r"\bMIG (\S+)", gpu)
    return match[1] if match else ""


def slug(gpu: str) -> str:
    """A GPU's name as a file's: `NVIDIA H100 80GB HBM3` is `nvidia-h100`."""
    words = re.findall(r"[a-z0-9]+", gpu.partition(" MIG ")[0].lower())
    kept = [word for word in words if not _FORM_FACTOR.match(word)]
    return "-".join(kept) or "gpu"


def _clocks() -> str:
    sm, memory, power = (
        _asked_of_nvidia_smi(key) for key in ("clocks.max.sm", "clocks.max.memory", "power.limit")
    )
    return f"SM {sm}, memory {memory}, {power}" if sm else ""


def _asked_of_nvidia_smi(key: str) -> str:
    """What nvidia-smi says of the first GPU, or "" where it says nothing."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    command = [program, f"--query-gpu={key}", "--format=csv,noheader"]
    with contextlib.suppress(subprocess.SubprocessError, OSError):
        asked = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return asked.stdout.split("\n")[0].strip()
    return ""

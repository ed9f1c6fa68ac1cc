"""The environments with a CUDA build of PyTorch: found, or made."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from gpu_guide.environments import UNFINISHED, is_made, making, pip, root, run_or_raise
from gpu_guide.problems import GuideError, fault

DEFAULT_TORCH = "2.13.0"
NEEDED_BYTES = 6 * 10**9
"""What must be free before one is made: PyTorch's CUDA build takes about 5 GB."""
CUDA_MAJOR = "13"
"""The one major version of CUDA whose runtime can be stood in for."""
PACKAGES = ("numpy", "pytest", "pytest-examples", "pytest-xdist", "pyyaml")
"""What the tests need besides torch."""
_CRT = Path("crt", "host_defines.h")
"""A header of a package that torch does not install."""
_VERSION = re.compile(r"^__version__ = '(.+)'$", re.MULTILINE)
_CUDA = re.compile(r"^cuda: Optional\[str\] = (?:'(.+)'|None)$", re.MULTILINE)


@dataclass(frozen=True)
class CudaEnvironment:
    """A Python environment with a CUDA build of PyTorch in it."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @cached_property
    def site(self) -> Path:
        """The folder of its packages."""
        (site,) = self.folder.glob("lib/python3*/site-packages")
        return site

    @property
    def nvidia(self) -> Path:
        """The folder of NVIDIA's headers and libraries for this major version of CUDA."""
        return self.site / "nvidia" / f"cu{CUDA_MAJOR}"

    @property
    def headers(self) -> list[Path]:
        """Folders of all headers that the runtime includes; none where some are missing."""
        folders = [self.nvidia / "include"]
        if not (folders[0] / _CRT).is_file():
            more = root() / f"headers-{self.cuda}" / "nvidia" / f"cu{CUDA_MAJOR}" / "include"
            folders = [*folders, more] if (more / _CRT).is_file() else []
        return folders

    @property
    def torch(self) -> str:
        """The whole version of its PyTorch, for example `2.13.0+cu130`."""
        return _VERSION.search(self._version_file)[1]

    @property
    def cuda(self) -> str:
        """The CUDA version of its PyTorch; "" for a build without CUDA."""
        match = _CUDA.search(self._version_file)
        return (match and match[1]) or ""

    @cached_property
    def _version_file(self) -> str:
        return (self.site / "torch" / "version.py").read_text(encoding="utf-8")


def impossible() -> str:
    """Why no stand-in can run on this system at all; "" where it can."""
    if (system := platform.system()) != "Linux":
        return f"a stand-in GPU needs Linux, and this is {system}: use WSL2 or a container"
    if platform.machine() not in ("x86_64", "aarch64"):
        return f"PyTorch has no CUDA build for {platform.machine()}: use a machine with x86-64"
    return ""


def at(python: Path) -> CudaEnvironment:
    """The environment of the reader's own `python`; nothing is installed there.

    Raises GuideError where its PyTorch cannot run on a stand-in.
    """
    environment = CudaEnvironment(python.absolute().parent.parent)
    remedy = f"install torch for CUDA {CUDA_MAJOR} there, or name another Python"
    if not python.is_file() or not list(environment.folder.glob("lib/python3*/site-packages")):
        raise fault(None, None, f"{python} is not the Python of a virtual environment", remedy)
    if not (environment.site / "torch" / "version.py").is_file():
        raise fault(None, None, f"{python} has no torch", remedy)
    if environment.cuda.partition(".")[0] != CUDA_MAJOR:
        what = f"torch {environment.torch} of {python} is built " + (
            f"for CUDA {environment.cuda}" if environment.cuda else "without CUDA"
        )
        raise fault(None, None, what, remedy)
    if not environment.headers:
        folder = root() / f"headers-{environment.cuda}"
        package = f"nvidia-cuda-crt=={environment.cuda}.*"
        folder.parent.mkdir(parents=True, exist_ok=True)
        # uv makes environments without pip; the reader's own need not have it either.
        ours = sys.executable if find_spec("pip") else str(python)
        install = [ours, "-m", "pip", "install", "--quiet", "--no-deps"]
        run_or_raise([*install, "--target", str(folder), package], f"installing {package}")
    return environment


def find(torch: str = DEFAULT_TORCH) -> CudaEnvironment | None:
    """The environment of this version of PyTorch, or None where it has not been made.

    Raises GuideError for one that is there and cannot be used.
    """
    folder = root() / f"torch-{torch}"
    if not is_made(folder):
        return None
    environment = CudaEnvironment(folder)
    again = f"delete that folder and run `python -m gpu_guide stand-in --torch {torch}` again"
    if not list(folder.glob("lib/python3*/site-packages/torch/version.py")):
        raise fault(folder, None, "has no PyTorch", again)
    if not environment.cuda:
        what = f"its torch {environment.torch} is built without CUDA"
        remedy = f"{again}; if pip is set up to prefer CPU builds, take that setting away first"
        raise fault(folder, None, what, remedy)
    if environment.cuda.partition(".")[0] != CUDA_MAJOR:
        what = f"its torch is built for CUDA {environment.cuda}"
        raise fault(folder, None, what, f"install a build for CUDA {CUDA_MAJOR} there")
    if environment.torch.partition("+")[0] != torch:
        raise fault(folder, None, f"has torch {environment.torch}, not {torch}", again)
    return environment


def find_or_make(
    torch: str = DEFAULT_TORCH, tell: Callable[[str], None] = print
) -> CudaEnvironment:
    """The environment of this version of PyTorch, installed where it is not there yet.

    Raises GuideError where that is impossible; then nothing of it is left.
    """
    if why := impossible():
        raise GuideError(why)
    environment = find(torch)
    if environment is None:
        tell(f"Installing torch {torch} with CUDA into {root()}: about 5 GB, once …")
        environment = _make(torch)
    _complete(environment, torch)
    return environment


def _make(torch: str) -> CudaEnvironment:
    if not re.fullmatch(r"\d+\.\d+\.\d+", torch):
        raise fault(None, None, f"{torch!r} is no version of PyTorch", f"write {DEFAULT_TORCH}")
    folder = root() / f"torch-{torch}"
    with making(folder, NEEDED_BYTES, "a CUDA build"):
        # Two equals signs would also take a CPU build, 2.13.0+cpu; three compare the whole text.
        pip(folder, (f"torch==={torch}", *PACKAGES))
        (folder / UNFINISHED).unlink()
        found = find(torch)
        assert found is not None
        return found


def _complete(environment: CudaEnvironment, torch: str) -> None:
    """Add what is missing: headers, and the packages that the tests import."""
    missing = []
    if not (environment.nvidia / "include" / _CRT).is_file():
        missing.append(f"nvidia-cuda-crt=={environment.cuda}.*")
    names = {package: package.replace("-", "_") for package in PACKAGES} | {
        "pytest-xdist": "xdist",
        "pyyaml": "yaml",
    }
    missing += [p for p, module in names.items() if not (environment.site / module).is_dir()]
    if missing:
        pip(environment.folder, tuple(missing))

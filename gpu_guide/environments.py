"""Python environments outside the tree, each made once, for code that `.venv` cannot run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpu_guide.problems import fault

TORCH_INDEX = "https://download.pytorch.org/whl/"
VARIABLE = "GPU_GUIDE_CUDA_ENVIRONMENTS"
UNFINISHED = ".installing"
"""The file that is in an environment until everything is installed there."""


def root() -> Path:
    """The folder in which all of them lie."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "pytorch-gpu-guide"


def is_made(folder: Path) -> bool:
    """Whether the environment `folder` is there, and was finished."""
    return (folder / "bin" / "python").exists() and not (folder / UNFINISHED).exists()


@contextmanager
def making(folder: Path, needed: int, what: str) -> Iterator[None]:
    """An empty environment, for the block to install into; what fails there leaves nothing.

    Raises GuideError where fewer bytes are free than are `needed` for `what`.
    """
    remedy = f"name another folder in {VARIABLE}"
    try:
        root().mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(root()).free
    except OSError as error:
        raise fault(root(), None, str(error), remedy) from None
    if free < needed:
        said = f"only {free / 1e9:.1f} GB are free, and {what} needs {needed / 1e9:.0f}"
        raise fault(root(), None, said, f"free some, or {remedy}")
    if folder.exists():
        shutil.rmtree(folder)
    try:
        folder.mkdir()
        (folder / UNFINISHED).touch()
        run_or_raise([sys.executable, "-m", "venv", str(folder)], "making the environment")
        yield
        (folder / UNFINISHED).unlink(missing_ok=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def pip(folder: Path, packages: tuple[str, ...], *options: str) -> None:
    """Install `packages` into an environment. Raises GuideError with pip's last words."""
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    install += ["--disable-pip-version-check", "--no-cache-dir"]
    run_or_raise([*install, *options, *packages], f"installing {', '.join(packages)}")


def run_or_raise(command: list[str], doing: str) -> None:
    """Run a command quietly. Raises GuideError with its last words where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        remedy = "see its words below: mostly the network, the disk or a setting of pip\n" + said
        raise fault(None, None, f"{doing} failed ({' '.join(command)})", remedy)

"""Wheels of the labs' libraries for a machine without a network: packed here and unpacked there."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.project import Project

LABS = ("nbclient", "ipykernel", "matplotlib")
MODULES = ("nbclient", "ipykernel", "matplotlib", "jupyter_client", "nbformat")
PLATFORM = "manylinux_2_28_x86_64"


def folder_of(project: Project) -> Path:
    """Where they lie; git does not keep them."""
    return project.root / "build" / "wheels"


def pack(project: Project, python: str, platform: str = PLATFORM) -> list[Path]:
    """Download the wheels of the labs' libraries for this Python, such as 3.12, and platform.

    Raises GuideError with pip's words where one cannot be downloaded.
    """
    folder = folder_of(project)
    folder.mkdir(parents=True, exist_ok=True)
    older = [f"manylinux_2_{minor}_x86_64" for minor in (17, 5)] + ["manylinux2014_x86_64"]
    platforms = [platform, *(older if platform == PLATFORM else ())]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    command += ["--only-binary=:all:", "--python-version", python, "--dest", str(folder)]
    command += [word for one in platforms for word in ("--platform", one)]
    command += ["--constraint", str(project.constraints), *LABS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise fault(folder, None, f"pip download failed for Python {python}", f"its words:\n{said}")
    return sorted(folder.glob("*.whl"))


def lacking() -> list[str]:
    """The modules that the labs need and this Python has not."""
    return [name for name in MODULES if importlib.util.find_spec(name) is None]


def unpack(project: Project, into: Path) -> Path | None:
    """A folder for PYTHONPATH with what the wheels contain; None where none were brought.

    Wheels are zip files, so that this needs neither pip nor a network.
    """
    wheels = sorted(folder_of(project).glob("*.whl"))
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            file.extractall(into)
    return into if wheels else None

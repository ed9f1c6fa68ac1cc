"""The Python that has the reader's own packages, torch among them: rarely the one we run in."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from gpu_guide.dry_run.words import Words
from gpu_guide.tool.words import why_of

_NAMES = ("python", "python3")


def readers_python(named: str | None = None) -> str:
    """The Python that is named; else this one, where it has torch; else that of the environment
    that is switched on; else the first in the path that is not ours; else this one.

    `uvx` puts us into an environment of our own, and that one into the path.
    """
    if named:
        return named
    if importlib.util.find_spec("torch"):
        return sys.executable
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = os.environ.get(variable)
        for inner in ("bin/python", "Scripts/python.exe", "python.exe") if folder else ():
            if (Path(folder) / inner).is_file():
                return str(Path(folder) / inner)
    ours = {os.path.realpath(folder) for folder in (Path(sys.executable).parent, _scripts())}
    folders = os.environ.get("PATH", "").split(os.pathsep)
    others = [folder for folder in folders if folder and os.path.realpath(folder) not in ours]
    for name in _NAMES:
        if found := shutil.which(name, path=os.pathsep.join(others)):
            return found
    return sys.executable


def why_no_torch(python: str, say: Words) -> str:
    """The sentence for the reader if this Python cannot import torch; nothing if it can."""
    try:
        asked = [python, "-c", "import torch"]
        there = subprocess.run(asked, capture_output=True, text=True, check=False)
    except OSError as error:
        return say("no_python", python=python, why=why_of(error, say.language))
    why = (there.stderr.strip().splitlines() or [""])[-1]
    return say("no_torch", python=python, why=why) if there.returncode else ""


def _scripts() -> Path:
    return Path(sys.prefix) / ("Scripts" if os.name == "nt" else "bin")

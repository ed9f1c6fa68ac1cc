"""Set up `.venv` with what a command needs. Standard library only: it runs before all else.

An interpreter that already has everything is used as it is, so that a machine with its own torch
(a GPU machine, say) needs no second one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

from gpu_guide.environments import TORCH_INDEX
from gpu_guide.project import HERE

VENV = HERE.root / ".venv"
_MINIFY = ("rcssmin", "rjsmin", "tinycss2")
_SITE = ("yaml", "mkdocs", "material", "mkdocs_jupyter", "jieba", "PIL", *_MINIFY)
_CHECK = (*_SITE, "ruff", "rumdl", "codespell_lib", "pytest_examples", "black")
_LABS = ("nbclient", "ipykernel", "matplotlib")
_TEST = ("torch", "numpy", "pytest", "xdist", "pytest_rerunfailures", "jactionlint")
_BROWSER = ("playwright", "pypdf")
_AXE = ("axe_playwright_python",)
_MODULES = {
    "diagnose": ("yaml",),
    "site": _SITE,
    "browser": (*_SITE, *_BROWSER),
    "check": _CHECK,
    "test": (*_CHECK, *_LABS, *_TEST, *_BROWSER, *_AXE),
}


def python_with(extra: str, *, this_one: bool = False) -> Path:
    """The interpreter to run in, which has the modules of `extra`, one of `_MODULES`.

    Where this one lacks some, print and use that of `.venv`; with `this_one` use no other. Raises
    SystemExit with the remedy where that is impossible.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 - the one place that says so to older ones
        found = ".".join(map(str, sys.version_info[:3]))
        raise SystemExit(f"Python 3.11 or newer is needed, this is {found}: install one, and run "
                         "`python3.12 -m gpu_guide …`")  # fmt: skip
    missing = [name for name in _MODULES[extra] if importlib.util.find_spec(name) is None]
    plugin = {"group": "mkdocs.plugins", "name": "gpu-guide"}
    if "mkdocs" in _MODULES[extra] and not entry_points(**plugin):
        missing.append("this project, of which MkDocs loads a plugin")
    if not missing:
        return Path(sys.executable)
    lacks = f"{sys.executable} lacks {', '.join(missing)}"
    if this_one:
        raise SystemExit(
            f"{lacks}: install what is missing, "
            f"`{sys.executable} -m pip install -e '.[{extra}]'`, or leave PYTHON= away, and "
            f"{VENV.name} is used, which is set up by itself"
        )
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = _fingerprint(extra)
    done = {other: VENV / f".installed-{other}" for other in _MODULES}
    enough = [name for name, has in _MODULES.items() if {*_MODULES[extra]} <= {*has}]
    if any(_is(done[name], _fingerprint(name)) for name in enough):
        print(f"{lacks}: using {python}", flush=True)
        return python
    print(f"{lacks}: setting up {VENV.name} for `{extra}`, which is done once …", flush=True)
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(VENV)])
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    pip += ["--constraint", str(HERE.constraints)]
    if extra == "test":
        # First and alone, so that no other package is looked for on torch's own index.
        index = os.environ.get("TORCH_INDEX_URL", TORCH_INDEX + ("cu130" if _gpu() else "cpu"))
        quick = ["--no-deps", "--retries", "1", "--timeout", "15", "--extra-index-url", index]
        _run([*pip, *quick, "torch"])
    _run([*pip, "--editable", f"{HERE.root}[{extra}]"])
    done[extra].write_text(wanted, encoding="utf-8")
    return python


def _fingerprint(extra: str) -> str:
    """Changes whenever what is to be installed does."""
    parts = [extra.encode()]
    parts += [path.read_bytes() for path in (HERE.root / "pyproject.toml", HERE.constraints)]
    return hashlib.sha256(b"\n".join(parts)).hexdigest()


def _is(stamp: Path, wanted: str) -> bool:
    return stamp.exists() and stamp.read_text(encoding="utf-8") == wanted


def _gpu() -> bool:
    """Whether there is an NVIDIA GPU with a working driver."""
    program = shutil.which("nvidia-smi")
    if program is None or sys.platform == "darwin":
        return False
    return subprocess.run([program, "-L"], capture_output=True, check=False).returncode == 0


def _run(command: list[str]) -> None:
    if subprocess.run(command, cwd=HERE.root, check=False).returncode:
        shown = " ".join(command)
        raise SystemExit(
            f"The set-up stopped at\n  {shown}\nIts message stands above. Once that is mended, run "
            f"the same command again; if {VENV.name} itself is broken, delete that folder first."
        )

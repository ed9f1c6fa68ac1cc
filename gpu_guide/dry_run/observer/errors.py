"""The exception that ends a script, and whose code a line is.

Works before torch is imported, which may be what fails, and imports nothing but Python's own.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

FOLDER = "GPU_GUIDE_DRY_RUN"
"""The variable that names the folder into which each process writes what it saw."""
_OURS = str(Path(__file__).parents[2])
_STANDARD = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_packages: dict[str, bool] = {}
"""For each folder of modules: whether packages were installed into it."""
READER, PACKAGE, NEITHER = range(3)


def whose(file: str) -> int:
    """READER for their own code, PACKAGE for what was installed, NEITHER for PyTorch's, Python's
    and ours."""
    if file.startswith((_OURS, "<")):
        return NEITHER
    for folder in sys.path:
        if folder and file.startswith(folder + os.sep) and _has_packages(folder):
            return NEITHER if file.startswith(os.path.join(folder, "torch", "")) else PACKAGE
    return NEITHER if file.startswith(_STANDARD) else READER


def _has_packages(folder: str) -> bool:
    """Whether pip installed into it: that is site-packages, but also dist-packages, a user's own
    folder, or one that `--target` named."""
    if folder not in _packages:
        names = os.listdir(folder) if os.path.isdir(folder) else []
        _packages[folder] = any(name.endswith(".dist-info") for name in names)
    return _packages[folder]


def install() -> None:
    """Note the exception that ends this process, and show its author no frames of ours."""
    shown = sys.excepthook

    def note_and_show(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        note(error)
        error.__traceback__ = without_ours(trace)
        shown(kind, error, error.__traceback__)

    sys.excepthook = note_and_show


def note(error: BaseException) -> None:
    """Write down what ends this process: `<folder>/<process>.error`."""
    said = {
        "kind": type(error).__name__,
        "text": str(error),
        "name": getattr(error, "name", None) or getattr(error, "filename", None),
        "place": _last_own_frame(error),
    }
    file = Path(os.environ[FOLDER]) / f"{os.getpid()}.error"
    file.write_text(json.dumps(said, default=str), encoding="utf-8")


def _last_own_frame(error: BaseException) -> list[Any] | None:
    """File, line, function and text of the last frame of a traceback that is the reader's own."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if whose(frame.filename) == READER]
    return [own[-1].filename, own[-1].lineno, own[-1].name, own[-1].line] if own else None


def without_ours(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without frames of ours."""
    if trace is None:
        return None
    following = without_ours(trace.tb_next)
    if trace.tb_frame.f_code.co_filename.startswith(_OURS):
        return following
    return TracebackType(following, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)

"""Which line of the reader's own code a kernel belongs to."""

from __future__ import annotations

import linecache
import sys
import sysconfig
import traceback
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

_OURS = str(Path(__file__).parents[2])
_TORCH = str(Path(torch.__file__).parent)
_PACKAGES = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_SKIPPED = (_OURS, _TORCH, "<", sysconfig.get_path("stdlib"))
_READER, _PACKAGE, _NEITHER = range(3)
Place = tuple[str, int, str]


class Sites:
    """Numbers for places in the code: a line of the reader's own, and the line of a package that
    it led to, each with its file and function."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Place | None, Place | None], int] = {(None, None): 0}
        self._whose: dict[CodeType, int] = {}
        self._forward: dict[int, int] = {}

    def here(self, node: Any = None) -> int:
        """The place from which a kernel is called.

        In a backward pass that is the line of the forward pass that made `node`, because the
        thread that runs it has no Python code of the reader's.
        """
        if node is not None:
            made = self._forward.get(node._sequence_nr())
            if made is not None:
                return made
        number = self._number(sys._getframe(1))
        if node is None and number:
            # The node of an operator is made just before its kernel is called.
            self._forward[torch._C._autograd._get_sequence_nr() - 1] = number
        return number

    def _number(self, frame: FrameType | None) -> int:
        package: Place | None = None
        reader: Place | None = None
        while frame is not None:
            code = frame.f_code
            whose = self._whose.get(code)
            if whose is None:
                whose = self._whose[code] = _whose(code.co_filename)
            if whose == _READER:
                reader = (code.co_filename, frame.f_lineno, code.co_name)
                break
            if whose == _PACKAGE and package is None:
                package = (code.co_filename, frame.f_lineno, code.co_name)
            frame = frame.f_back
        return self._numbers.setdefault((reader, package), len(self._numbers))

    def described(self) -> list[list[list[Any] | None]]:
        """Of each number the two places: file, line, function and the line's text; or None."""
        return [[_described(place) for place in pair] for pair in self._numbers]


def _whose(file: str) -> int:
    # A package lies within the standard library's folder, too.
    within = file.startswith(_PACKAGES)
    if "site-packages" in file and within and not file.startswith(_TORCH):
        return _PACKAGE
    return _NEITHER if within or file.startswith(_SKIPPED) else _READER


def _described(place: Place | None) -> list[Any] | None:
    if place is None:
        return None
    file, line, function = place
    return [file, line, function, linecache.getline(file, line).strip()]


def last_own_frame(error: BaseException) -> list[Any] | None:
    """File, line, function and text of the last frame of a traceback that is the reader's own."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _whose(frame.filename) == _READER]
    return [own[-1].filename, own[-1].lineno, own[-1].name, own[-1].line] if own else None


def without_ours(trace: TracebackType | None) -> TracebackType | None:
    """A traceback in which a script's author sees none of our frames."""
    if trace is None:
        return None
    following = without_ours(trace.tb_next)
    if trace.tb_frame.f_code.co_filename.startswith(_OURS):
        return following
    return TracebackType(following, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)

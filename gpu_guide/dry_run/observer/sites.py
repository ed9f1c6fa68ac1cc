"""Which line of the reader's own code a kernel belongs to."""

from __future__ import annotations

import linecache
import sys
from types import CodeType, FrameType
from typing import Any

import torch

from .errors import PACKAGE, READER, whose

_NEAR = 16
"""How many nodes are looked through for one whose line is known."""
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
            # A view has a node, but no kernel: it counts for the line of the kernel before it.
            last = node._sequence_nr()
            for number in range(last, last - _NEAR, -1):
                if (made := self._forward.get(number)) is not None:
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
            owner = self._whose.get(code)
            if owner is None:
                owner = self._whose[code] = whose(code.co_filename)
            if owner == READER:
                reader = (code.co_filename, frame.f_lineno, code.co_name)
                break
            if owner == PACKAGE and package is None:
                package = (code.co_filename, frame.f_lineno, code.co_name)
            frame = frame.f_back
        return self._numbers.setdefault((reader, package), len(self._numbers))

    def described(self) -> list[list[list[Any] | None]]:
        """Of each number the two places: file, line, function and the line's text; or None."""
        return [[_described(place) for place in pair] for pair in self._numbers]


def _described(place: Place | None) -> list[Any] | None:
    if place is None:
        return None
    file, line, function = place
    return [file, line, function, linecache.getline(file, line).strip()]

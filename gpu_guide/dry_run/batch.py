"""The batch that a command names: half of it, or the largest one that fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

MOST = 2**16
"""No larger batch is tried, unless the command itself names one."""
_NAME = re.compile(r"(?:^|[-_.])(?:batch|bs|bsz)(?:$|[-_.=])|batch_?size", re.IGNORECASE)


@dataclass(frozen=True)
class BatchArgument:
    """Where a command names its batch, as `--batch-size 8` or `batch=8`."""

    command: tuple[str, ...]
    at: int
    """Which word has the number."""
    before: str
    """What comes before the number in that word."""
    size: int

    @classmethod
    def of(cls, command: Sequence[str]) -> Self | None:
        """The first such argument; None where there is none."""
        words = tuple(command)
        for at, word in enumerate(words):
            name, equals, number = word.partition("=")
            if not _NAME.search(name.lstrip("-")):
                continue
            if equals and number.isdigit() and int(number):
                return cls(words, at, name + equals, int(number))
            following = words[at + 1] if at + 1 < len(words) else ""
            if not equals and word.startswith("-") and following.isdigit() and int(following):
                return cls(words, at + 1, "", int(following))
        return None

    def with_size(self, size: int) -> list[str]:
        """The command with another batch."""
        words = list(self.command)
        words[self.at] = f"{self.before}{size}"
        return words

    def said(self, size: int) -> str:
        """How the command would name a batch of this size."""
        changed = self.with_size(size)[self.at]
        return changed if self.before else f"{self.command[self.at - 1]} {changed}"


@dataclass(frozen=True)
class Largest:
    """What a search for the largest batch found."""

    fits: int
    """0: not even 1 fits."""
    too_large: int | None
    """The smallest that was seen not to fit; None: all that were tried fit."""


def largest(first: int, fits: Callable[[int], bool]) -> Largest:
    """Search from 1 to MOST, or to `first`, with which it begins, to within a 32nd."""
    low, high = 0, None
    size = first
    while high is None and size <= max(MOST, first):
        if fits(size):
            low, size = size, size * 2
        else:
            high = size
    while high is not None and high - low > max(1, low // 32):
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return Largest(low, high)

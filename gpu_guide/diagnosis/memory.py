"""Facts from the numbers of an out-of-memory message: whether other memory would suffice.

PyTorch writes the same sentence whatever the cause; old releases and new ones word it differently.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MUCH = 10
"""Other processes hold much of a GPU from one part in so many on."""
UNUSED = 20
"""Much of PyTorch's reserved memory is unused from one part in so many on."""
OWN = 512
"""So many MiB of a GPU may be in use by nobody: the driver's own, and what a desktop needs."""
REST = 100
"""The driver may not give away what is less than one part in so many of a GPU."""
CONTEXT = 1024
"""So many MiB more, where a message counts only what PyTorch allocated: CUDA's context."""
_SIZE = r"([0-9]{1,12}(?:\.[0-9]{1,3})?) (bytes|KiB|MiB|GiB)"
_UNITS = {"bytes": 1 / 1048576, "KiB": 1 / 1024, "MiB": 1, "GiB": 1024}
_TELLS = re.compile("Tried to allocate|total capac|memory in use|by PyTorch")


def memory_facts(lines: Sequence[str]) -> list[tuple[str, str, int]]:
    """The fact of the first out-of-memory message, its value in MiB, and each line that says so.

    memory.others  other processes hold much of the GPU, and without them the request would fit
    memory.pieces  PyTorch's cache is large enough together with what is free, but in pieces
    memory.cached  the cache is large enough for the request and still a small part of the memory
    """
    at = next((number for number, line in enumerate(lines) if "total capac" in line), None)
    if at is None:
        return []
    around = range(max(0, at - 2), min(at + 6, len(lines)))
    fact = _judged(" ".join(lines[number] for number in around))
    if fact is None:
        return []
    name, size = fact
    telling = (number for number in around if _TELLS.search(lines[number]))
    return [(name, f"{int(size)} MiB", number) for number in telling]


def _judged(text: str) -> tuple[str, float] | None:
    """The fact that follows from the message, and its size in MiB."""
    tried = _sizes("Tried to allocate @", text)
    own = _sizes("this process has @ memory in use", text)
    new = _sizes("total capaci?ty of @ of which @ is free", text)
    parts = _sizes("allocated memory @ is allocated by PyTorch", text)
    parts += _sizes("and @ is reserved by PyTorch but", text)
    old = "@ total capacity; @ already allocated; @ free; @ reserved in total by PyTorch"
    if all_four := _sizes(old, text):
        total, used, free, reserved = all_four
    elif new and len(parts) == 2 and "iB allowed" not in text:
        total, free, used, reserved = *new, parts[0], sum(parts)
    else:
        return None
    # Under WSL2, this process seems to have more than the GPU.
    mine = own[0] if own and own[0] <= total else reserved + CONTEXT
    others, cache = total - free - mine - OWN, reserved - used
    short = tried[0] - free if tried else 1
    if short <= 0 and free * REST >= total:
        return None
    held = others * MUCH >= total and short <= others
    pieces = bool(tried) and cache * UNUSED >= reserved and short <= cache
    if held and not (pieces and cache > others):
        return "memory.others", others
    if pieces:
        return "memory.pieces", cache
    if tried and tried[0] <= cache:
        return "memory.cached", cache
    return None


def _sizes(wording: str, text: str) -> list[float]:
    """The sizes in MiB in the place of each @ of the wording; none where the text does not
    match."""
    found = re.search(wording.replace("@", _SIZE), text)
    parts = found.groups() if found else ()
    return [float(parts[n]) * _UNITS[parts[n + 1]] for n in range(0, len(parts), 2)]

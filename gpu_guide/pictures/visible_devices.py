"""What CUDA_VISIBLE_DEVICES leaves a process to see, and under which index.

The rules are those by which PyTorch counts GPUs before CUDA starts: `_parse_visible_devices` and
`_device_count_nvml` in torch/cuda/__init__.py of torch 2.13. theme/assets/visible.js has them, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas

_ROW, _BOX, _LEFT, _RIGHT = 34, 24, 112, 96
_MOST = 64
"""How many GPUs PyTorch counts at most where the variable is not set."""


@dataclass(frozen=True)
class Entry:
    """The text between two commas, and what becomes of it."""

    text: str
    fate: str = "seen"
    """Why the list ends here: "word", "negative", "beyond", "unknown" or "ambiguous"; "again": it
    leaves no GPU at all; "sign": an error; "dropped": lost to one of these two; "unread": after the
    end; "driver": PyTorch leaves it to the driver."""
    card: int | None = None
    """The GPU of the machine that it names, if the process sees it."""


@dataclass(frozen=True)
class Reading:
    """The entries of a value, and how many GPUs PyTorch counts; None where it returns no count."""

    entries: tuple[Entry, ...]
    count: int | None

    @property
    def seen(self) -> list[int]:
        """The GPUs of the machine that become cuda:0, cuda:1 and so on."""
        return [entry.card for entry in self.entries if entry.card is not None]


Found = tuple[str, int | str | None]
"""A fate, and what the entry names."""


def read(variable: str | None, uuids: Sequence[str]) -> Reading:
    """Read a value on a machine whose GPUs have these UUIDs; None: the variable is not set.

    Of digits it knows those of ASCII only, although PyTorch takes others for numbers, too.
    """
    if variable is None:
        cards = range(min(len(uuids), _MOST))
        return Reading(tuple(Entry(str(card), card=card) for card in cards), len(cards))
    entries = [Entry(text) for text in variable.split(",")]
    if variable.startswith("GPU-"):
        entries = _walk(entries, lambda text: ("seen" if text.startswith("GPU-") else "word", text))
        entries = _walk(entries, lambda text: _by_uuid(text, uuids))
    elif variable.startswith("MIG-"):
        entries = _walk(entries, lambda text: ("seen" if text.startswith("MIG-") else "word", text))
        entries = [Entry(e.text, "driver") if e.fate == "seen" else e for e in entries]
    else:
        entries = _walk(entries, _number)
        entries = _walk(entries, lambda text: _by_number(text, len(uuids)))
    seen = [entry for entry in entries if entry.fate == "seen"]
    without = any(entry.fate in ("sign", "driver") for entry in entries)
    return Reading(tuple(entries), None if without else len(seen))


def _walk(entries: Sequence[Entry], look: Callable[[str], Found]) -> list[Entry]:
    """Follow a list to its end: what has ended it before stays as it is."""
    done: list[Entry] = []
    named: list[int | str | None] = []
    for place, entry in enumerate(entries):
        if entry.fate != "seen":
            return [*done, *entries[place:]]
        fate, name = look(entry.text)
        rest = [Entry(one.text, "unread") for one in entries[place + 1 :]]
        if fate == "seen" and name in named:
            fate = "again"
        if fate in ("again", "sign"):
            return [*(Entry(one.text, "dropped") for one in done), Entry(entry.text, fate), *rest]
        if fate != "seen":
            return [*done, Entry(entry.text, fate), *rest]
        named.append(name)
        done.append(Entry(entry.text, card=name if isinstance(name, int) else None))
    return done


def _number(text: str) -> Found:
    """The number that an entry begins with, as C's strtoul reads it; its rest is ignored."""
    digits = re.match(r"[+-]?[0-9]*", text.strip())[0]
    if not digits:
        return "word", None
    if digits in ("+", "-"):
        return "sign", None
    return ("negative" if int(digits) < 0 else "seen"), int(digits)


def _by_number(text: str, count: int) -> Found:
    _, card = _number(text)
    return ("seen" if card < count else "beyond"), card


def _by_uuid(text: str, uuids: Sequence[str]) -> Found:
    cards = [card for card, uuid in enumerate(uuids) if uuid.startswith(text)]
    if len(cards) == 1:
        return "seen", cards[0]
    return ("ambiguous" if cards else "unknown"), None


def draw(variable: str, count: int, names: Mapping[str, str]) -> Canvas:
    """The machine's GPUs on the left, those of the process on the right, and which is which.

    `names` holds `machine` and `process`, the heads of both sides, and `gpu`.
    """
    canvas = Canvas()
    seen = read(variable, [""] * count).seen
    right = WIDTH - EDGE - _RIGHT
    canvas.text(EDGE, 14, f"CUDA_VISIBLE_DEVICES={variable}", "code")
    canvas.text(EDGE, 40, names["machine"], "small")
    canvas.text(right, 40, names["process"], "small")
    for gpu in range(count):
        look = "block" if gpu in seen else "segment"
        canvas.box(EDGE, 50 + gpu * _ROW, _LEFT, _BOX, f"{names['gpu']} {gpu}", look)
    for index, gpu in enumerate(seen):
        y = 50 + index * _ROW
        canvas.box(right, y, _RIGHT, _BOX, f"cuda:{index}", "box")
        source = 50 + gpu * _ROW + _BOX / 2
        canvas.arrow(EDGE + _LEFT + 4, source, right - 4, y + _BOX / 2)
    return canvas

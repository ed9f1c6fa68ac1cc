"""`data/faults.yml`: faults that nobody notices, and why. A malformed file raises GuideError."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from gpu_guide.data.entries import entries
from gpu_guide.problems import fault

REASONS = {
    "equivalent": "the code does the same as before, or the same as far as its text claims",
    "gpu": "only a GPU shows the difference",
    "open": "it should be noticed, and is not yet",
}
"""What a survivor can be; the first two are none that a machine without a GPU can notice."""


@dataclass(frozen=True)
class Explained:
    """One survivor, named by what was planted where."""

    in_: str
    """The snippet."""
    kind: str
    old: str
    new: str
    reason: str
    """One of REASONS."""
    why: str


def load_explained(path: Path) -> dict[tuple[str, str, str, str], Explained]:
    """The survivors by snippet, kind, and the code before and after."""
    names = {"in": "in_", **{f.name: f.name for f in fields(Explained) if f.name != "in_"}}
    found: dict[tuple[str, str, str, str], Explained] = {}
    for line, entry in entries(path):
        for key, value in entry.items():
            if key not in names:
                raise fault(path, line, f"unknown key {key!r}", f"the keys are {', '.join(names)}")
            if not isinstance(value, str):
                raise fault(path, line, f"{key}: {value!r} is not a text", "write it in quotes")
        for key in names:
            if key not in entry:
                raise fault(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
        if entry["reason"] not in REASONS:
            remedy = f"write one of {', '.join(REASONS)}"
            raise fault(path, line, f"reason: {entry['reason']!r}", remedy)
        one = Explained(**{names[key]: value for key, value in entry.items()})
        key = (one.in_, one.kind, one.old, one.new)
        if key in found:
            raise fault(path, line, f"{one.in_}: {one.old!r} again", "keep one of them")
        found[key] = one
    return found

"""The mistakes of data/contributor_mistakes.yml, and the small guide that they are made in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fake_environments import CPU

from gpu_guide import fast_yaml
from gpu_guide.project import HERE
from gpu_guide.records.store import Entry, Record
from gpu_guide.snippets.model import Printed

FILE = HERE.tests / "data/contributor_mistakes.yml"
DATA: dict[str, Any] = fast_yaml.load(FILE.read_text(encoding="utf-8"))
GUIDE: dict[str, str] = DATA["guide"]
"""The files of a guide in which nothing is wrong."""

RECORD = Record(
    replace(CPU, id="no-gpu"), {"check/speed": Entry("0" * 64, (Printed(0, "10 0.000009 s"),), 0.1)}
)
"""What a machine printed, of code that has changed since."""


@dataclass(frozen=True)
class Mistake:
    """Edits (file, old, new), and what is told where; no old is a new file, no new a lost one."""

    edits: tuple[tuple[str, str | None, str | None], ...]
    where: str
    """How the message begins: file and line."""
    says: str
    by_a_tool: bool = False
    """Whether ruff, rumdl or codespell tells it."""
    in_line: tuple[str, ...] = ()
    """Pages that the contributor says are in line: those that are not are only known to be so."""


def _edit(one: dict[str, Any]) -> tuple[str, str | None, str | None]:
    new = GUIDE[one["copy_of"]] if "copy_of" in one else one.get("new")
    return one["file"], one.get("old"), new


def _mistake(one: dict[str, Any]) -> Mistake:
    where = one.get("where") or one["file"] + (f":{one['line']}:" if "line" in one else "")
    edits = tuple(map(_edit, one.get("edits", [one])))
    by_a_tool, in_line = one.get("by_a_tool", False), tuple(one.get("in_line", ()))
    return Mistake(edits, where, one["says"], by_a_tool, in_line)


MISTAKES = {name: _mistake(one) for name, one in DATA["mistakes"].items()}
MISTAKES["a huge picture"] = Mistake(
    (("docs/en/check/x.png", None, "x" * 600_000),), "docs/en/check/x.png", "585 KiB"
)
ELSEWHERE: dict[str, str] = {
    name: test for test, ones in DATA["elsewhere"].items() for name in ones
}
"""What only running tells, and the test that shows that it is told."""

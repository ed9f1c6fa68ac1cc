"""A checksum in each part of a record, by which an edit by hand is seen.

What a page shows as a machine's output has to be what that machine printed. The recorder writes the
checksum and every reader compares it with the part. It is no signature: it shows slips, and edits
that were meant well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpu_guide.problems import GuideError, Problem

KEY = "digest"


def sealed(record: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """`content`, a part of the record named `record`, with its checksum."""
    return {**content, KEY: _digest(record, content)}


def check(path: Path, parts: Mapping[str, Any], remedy: str) -> None:
    """Raise GuideError with every one of the `parts` of the record in `path`, by their places in
    it, whose checksum does not fit."""
    problems = []
    for place, content in parts.items():
        if content.get(KEY) != _digest(path.stem, unsealed(content)):
            edited = "changed since it was recorded"
            what = edited if KEY in content else "without the checksum of what was recorded"
            problems.append(Problem(path, place, what, remedy))
    if problems:
        raise GuideError(*problems)


def unsealed(content: Any) -> Any:
    """A part without its checksum."""
    if not isinstance(content, dict):
        return content
    return {key: value for key, value in content.items() if key != KEY}


def _digest(record: str, content: Mapping[str, Any]) -> str:
    """Half of a SHA-256: the record's name counts, so that no part moves to another machine's."""
    text = json.dumps([record, content], ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]

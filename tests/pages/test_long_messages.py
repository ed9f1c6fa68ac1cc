"""Messages stay short: `make check` tells one that grows."""

from __future__ import annotations

import pytest

from gpu_guide.pages import long_messages
from gpu_guide.project import HERE


def test_no_message_is_too_long() -> None:
    assert list(long_messages.check(HERE)) == []


@pytest.mark.parametrize("part", long_messages.LONGEST)
def test_a_long_part_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setitem(long_messages.LONGEST, part, {"han": 1000, "words": 2})
    found = [one for one in long_messages.check(HERE) if "no-matching-torch" in one.what]
    assert [one.what.partition(": ")[2].partition(":")[0] for one in found] == [part]
    assert found[0].file and isinstance(found[0].line, int)
    line = found[0].file.read_text(encoding="utf-8").splitlines()[found[0].line - 1]
    assert line == "- id: no-matching-torch"

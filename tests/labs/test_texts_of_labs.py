"""What the texts of the labs say of GPUs: expected, until a machine with one has run them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu_guide import ROOT
from gpu_guide.labs.records import load_lab_records
from gpu_guide.project import HERE

TEXTS = sorted((ROOT / "docs").glob("*/labs/*.md"))
CLAIM = re.compile(r"you (should )?see that|should (say|see)|应该看到")
"""How a text puts what its author has not seen as if it were certain."""
UNSEEN = {"zh": "还没有带 GPU 的机器", "en": "No machine with a GPU has run the labs"}


def seen_on_a_gpu() -> bool:
    return any(record.environment.gpus for record in load_lab_records(HERE.lab_records))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_no_machine_has_shown_is_called_expected(path: Path) -> None:
    if seen_on_a_gpu():
        pytest.skip("a GPU has run the labs")
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [
        f"{path}:{number}: {match.group()!r} — write that it is expected, or 预期"
        for number, line in enumerate(lines, 1)
        if (match := CLAIM.search(line))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_index_says_whether_a_gpu_has_run_the_labs(lang: str) -> None:
    index = (ROOT / "docs" / lang / "labs/index.md").read_text(encoding="utf-8")
    assert (UNSEEN[lang] in index) == (not seen_on_a_gpu())

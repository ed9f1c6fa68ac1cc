"""The glossary: the terms of the project, and how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from malformed_data import TEXTS
from small_guides import begin

from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project


def guide(folder: Path, text: str) -> Project:
    return begin(folder, files={"data/glossary.yml": text})


def test_the_glossary_is_well_formed() -> None:
    terms = {term.en: term for term in load_glossary(HERE)}
    assert len(terms) >= 135
    assert terms["pinned (page-locked) memory"].zh == "锁页内存"
    assert "固定内存" in terms["pinned (page-locked) memory"].wrong
    # A reader searches for it, so a page may say it: for the eye only.
    assert "爆显存" in terms["out of memory (OOM)"].other


def test_terms_are_read_in_order(tmp_path: Path) -> None:
    assert load_glossary(guide(tmp_path, TEXTS["glossary"])) == (
        Term(
            en="pinned memory",
            zh="锁页内存",
            topic="Memory",
            keep_english=False,
            note="首次附英文",
            wrong=("固定内存",),
            unless=("固定内存地址",),
            other=("钉住",),
        ),
        Term(en="rank", zh="rank", topic="Distributed", keep_english=True),
    )


def test_a_wrong_word_may_be_part_of_a_right_one_that_unless_names(tmp_path: Path) -> None:
    text = TEXTS["glossary"].replace("[固定内存]", "[锁页]").replace("[固定内存地址]", "[锁页内存]")
    assert load_glossary(guide(tmp_path, text))[0].wrong == ("锁页",)


def test_not_utf_8(tmp_path: Path) -> None:
    damaged = guide(tmp_path, "")
    damaged.glossary.write_bytes("- en: rank\n  zh: 秩\n".encode("gbk"))
    with pytest.raises(GuideError, match=r":2: not UTF-8"):
        load_glossary(damaged)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(GuideError, match="cannot be read"):
        load_glossary(Project(tmp_path))

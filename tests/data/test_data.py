"""The data files: the project's glossary, and malformed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project

ENTRY = """- en: pinned memory
  zh: 锁页内存
  topic: Memory
  keep_english: false
  note: 首次附英文
  wrong: [固定内存]
  unless: [固定内存地址]
  other: [钉住]

- en: rank
  zh: rank
  topic: Distributed
  keep_english: true
"""


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
    assert load_glossary(guide(tmp_path, ENTRY)) == (
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- en: rank\n", "- zh_word: rank\n", ":10: unknown key 'zh_word' — the keys are en, zh"),
        ("  topic: Memory\n", "", ":1: topic: missing — add 'topic: …'"),
        ("  zh: rank\n", "  zh: rank\n  zh: 秩\n", ":12: key 'zh' twice — delete"),
        ("keep_english: true", "keep_english: maybe", ":10: keep_english: 'maybe' is not a truth"),
        ("en: rank", "en: 1", ":10: en: 1 is not a text — write it in quotes"),
        ("en: rank", "en: ''", ":10: en: '' is not a text"),
        ("[固定内存]", "固定内存", ":1: wrong: '固定内存' is not a list of words"),
        ("[固定内存]", "[yes]", ":1: wrong: [True] is not a list of words"),
        ("en: rank", "en: pinned memory", ":10: en: 'pinned memory' again, first on line 1"),
        ("[固定内存]", "[锁页]", ":1: wrong: '锁页' is part of the right word '锁页内存'"),
        ("[钉住]", "[固定内存]", ":1: '固定内存' is both wrong and other"),
        ("[固定内存地址]", "[内存地址]", ":1: unless: '内存地址' contains none"),
        ("[固定内存地址]", "[固定内存]", ":1: unless: '固定内存' contains none"),
        ("zh: rank", "zh: [rank", ": not YAML"),
        ("zh: rank", "zh: {1: 2}", ":10: zh: {1: 2} is not a text"),
        ("zh: rank", "zh: rank\n  explain: {zh: 编号。}", "explain: not one text in each language"),
        ("zh: rank", "zh: rank\n  explain: 编号。", "explain: not one text in each language"),
        ("en: rank", "en: Pinned-memory", "has the anchor of 'pinned memory', 'pinned-memory'"),
        (ENTRY, "", ":1: not a list of entries"),
        (ENTRY, "en: rank\n", ":1: not a list of entries"),
        (ENTRY, "- rank\n", ":1: an entry without keys"),
    ],
)
def test_malformed(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ENTRY
    with pytest.raises(GuideError) as caught:
        load_glossary(guide(tmp_path, ENTRY.replace(old, new)))
    assert message in str(caught.value)
    assert "glossary.yml" in str(caught.value) and " — " in str(caught.value)


def test_a_wrong_word_may_be_part_of_a_right_one_that_unless_names(tmp_path: Path) -> None:
    text = ENTRY.replace("[固定内存]", "[锁页]").replace("[固定内存地址]", "[锁页内存]")
    assert load_glossary(guide(tmp_path, text))[0].wrong == ("锁页",)


def test_not_utf_8(tmp_path: Path) -> None:
    damaged = guide(tmp_path, "")
    damaged.glossary.write_bytes("- en: rank\n  zh: 秩\n".encode("gbk"))
    with pytest.raises(GuideError, match=r":2: not UTF-8"):
        load_glossary(damaged)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(GuideError, match="cannot be read"):
        load_glossary(Project(tmp_path))

"""Chinese typography: samples with planted faults. `make check` reads the project's own text."""

from __future__ import annotations

import pytest

from gpu_guide import ROOT, fast_yaml
from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.pages.chinese import check_markdown, check_snippet, check_text, check_yaml
from gpu_guide.project import HERE

TERMS = (
    Term("pinned memory", "锁页内存", "memory", False, wrong=("固定内存", "页锁定内存")),
    Term("Tensor Core", "Tensor Core", "GPU", True, wrong=("张量核",), unless=("张量核心",)),
    Term("rank", "rank", "distributed", True, wrong=("秩",), unless=("低秩", "秩序")),
)


@pytest.mark.parametrize("text", ["你装的是哪种构建？", "换一个构建，再运行一次。"])
def test_a_wheel_is_not_called_a_build(text: str) -> None:
    (found,) = check_text(text)
    assert found.rule == "Z17" and "wheel" in found.remedy
    assert not check_text("构建镜像的时候没有 GPU，按保存时的结构建模型。")


@pytest.mark.parametrize("address", ["check/index.md", "install/compatibility.md"])
def test_the_everyday_word_for_compute_capability_stands_beside_it(address: str) -> None:
    """算力 is what people type; the guide's word is 计算能力."""
    (term,) = (term for term in load_glossary(HERE) if term.en == "compute capability")
    text = (ROOT / "docs" / "zh" / address).read_text(encoding="utf-8")
    for written in (term.explain["zh"], text):
        assert f"俗称{term.other[0]}" in written and term.zh in written


# --- faults, wherever they stand -----------------------------------------------------------------

DATA = fast_yaml.load((HERE.tests / "data/chinese.yml").read_text(encoding="utf-8"))
FAULTS = [(wrong, {*broken}, right) for wrong, broken, right in DATA["faults"]]
IDS = [f"{''.join(rules)}-{index}" for index, (_, rules, _) in enumerate(FAULTS)]
PLACES: dict[str, str] = DATA["places"]
MARKUP = {"Z15", "Z16"}  # not in titles and front matter, which hold no Markdown links


def rules(text: str) -> set[str]:
    return {finding.rule for finding in check_markdown(text, TERMS)}


@pytest.mark.parametrize(("wrong", "expected", "right"), FAULTS, ids=IDS)
def test_rule(wrong: str, expected: set[str], right: str) -> None:
    assert rules(wrong) == expected
    assert rules(right) == set()


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_rules_hold_everywhere(place: str) -> None:
    quoted = "title" in place or '"{}"' in place
    for wrong, expected, right in FAULTS:
        if (expected & MARKUP and place in (PLACES["front matter"],)) or (quoted and '"' in wrong):
            continue
        found = [f for f in check_markdown(place.format(wrong), TERMS) if f.rule in expected]
        assert {f.rule for f in found} == expected, (wrong, found)
        last = (
            place.format(wrong)
            .split("\n")
            .index(next(row for row in place.format(wrong).split("\n") if wrong in row))
        )
        assert {f.line for f in found} <= {last + 1}
        assert rules(place.format(right)) == set(), right


CLEAN: str = DATA["clean"]


def test_a_clean_page_has_no_findings() -> None:
    assert [str(finding) for finding in check_markdown(CLEAN)] == []


def test_an_address_ends_with_its_link() -> None:
    assert rules("显存用完了（[A#1](https://a.org/1)，英文）。给[工作区](b.md)那一块。") == set()
    assert rules("见[文档](https://a.org/1)，再看[工作区](b.md)GPU。") == {"Z11"}


def test_windows_line_ends_change_nothing() -> None:
    assert check_markdown(CLEAN.replace("\n", "\r\n")) == []
    assert rules("检查GPU。\r\n") == {"Z11"}


# --- rules about more than one line --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("一个段落分成\n两行。", [2]),
        ("Mostly English,\n最后是中文。", [2]),
        ("- 列表项也\n  不分行。", [2]),
        ("> 引用也\n> 不分行。", [2]),
        ('!!! note "提示"\n    第一行\n    第二行', [3]),
        ("一段。\n\n另一段。", []),
        ("- 一\n- 二\n1. 三\n\n    四", []),
        ("一行。  \n另一行。", []),
        ("一行。<br>\n另一行。", []),
        ("# 标题\n段落。", []),
        ("<li>一</li>\n<li>二</li>", []),
        ("| 列 |\n| --- |\n| 一 |\n| 二 |", []),
        ("[^1]: 一\n[^2]: 二", []),
        ("*[一]: 二\n*[三]: 四", []),
    ],
)
def test_a_paragraph_is_one_line(text: str, lines: list[int]) -> None:
    assert [(f.rule, f.line) for f in check_markdown(text, ())] == [("Z14", n) for n in lines]


def test_a_term_left_in_english_is_told_in_paragraphs() -> None:
    terms = (Term(en="pinned (memory)", zh="锁页内存", topic="Memory", keep_english=False),)
    for wrong in ("用 pinned 内存。", "- 用 pinned 内存。", "[用 pinned 内存](a.md)。"):
        assert {found.rule for found in check_markdown(wrong, terms)} == {"Z20"}, wrong
    for right in ("锁页（pinned）的。", "写 `pinned` 才行。", "参数 x.pinned、pinned_memory。"):
        assert check_markdown(right, terms) == [], right


def test_the_english_word_stands_by_the_first_use_only() -> None:
    text = "锁页内存（pinned memory）很快。\n\n{}\n"
    again = check_markdown(text.format("锁页内存（Pinned memory）很快。"), TERMS)
    assert [(f.rule, f.line) for f in again] == [("Z18", 3)]
    assert "line 1" in again[0].remedy
    assert check_markdown(text.format("锁页内存很快。"), TERMS) == []
    assert check_markdown(text.format("锁页内存（不会换出）很快。"), TERMS) == []
    assert check_markdown("输出（CPU）在前。\n\n输出（CPU）在后。", TERMS) == []


def test_code_has_half_width_punctuation() -> None:
    fence = "```bash\necho {}  # 查看显存\n```\n\n```text\n（输出）\n```"
    assert check_markdown(fence.format('"（好）"'), ()) == []
    found = check_markdown(fence.format("（好）"), ())
    assert {(f.rule, f.line) for f in found} == {("Z13", 2)}


def test_comments_in_a_fence_are_chinese_too() -> None:
    found = check_markdown("```bash\nnvidia-smi  # 查看GPU\n```", ())
    assert [(f.rule, f.line) for f in found] == [("Z11", 2)]


def test_a_python_fence_is_read_like_a_snippet() -> None:
    fence = f"一段。\n\n```python\n{SNIPPET}```".format(title="{}", comment="好。", more="好。")
    assert check_markdown(fence.format("好。"), ()) == []
    assert [(f.rule, f.line) for f in check_markdown(fence.format("您好。"), ())] == [("Z12", 6)]
    found = check_markdown("```python\nx = 1  # 在CPU上\n```", ())
    assert [(f.rule, f.line) for f in found] == [("Z11", 2), ("Z11", 2)]


def test_a_wrong_word_is_told_the_right_one() -> None:
    found = check_text("秩、低秩、页锁定内存", glossary=TERMS)
    assert [f.excerpt[:1] for f in found] == ["秩", "秩"]
    assert [f.remedy.split()[-1] for f in found] == ["rank", "锁页内存"]


def test_the_project_glossary_is_the_default() -> None:
    assert [f.rule for f in check_text("高速缓存分配器")] == ["Z17"]


# --- snippets and YAML ---------------------------------------------------------------------------

SNIPPET = '''"""The title, in English.

{title}
"""
# needs: cuda

import torch

# zh: {comment}
#   {more}
# en: A comment, in English.
#   It goes on, (too).
x = torch.ones(3)
print("中文,输出 # 不是注释,而是字符串")
#> 中文,输出
'''


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"title": "在GPU上。"}, [("Z11", 3), ("Z11", 3)]),
        ({"title": "一个标题分成\n两行。"}, [("Z19", 3)]),
        ({"comment": "先同步,再计时。"}, [("Z01", 9)]),
        ({"more": "您知道。"}, [("Z12", 10)]),
        ({"comment": '不写编号的 "cuda" 指向当前设备。'}, []),
        ({"comment": '这叫"异步"。'}, [("Z04", 9), ("Z04", 9)]),
        ({"more": "固定内存。"}, [("Z17", 10)]),
    ],
)
def test_snippet_text(changed: dict[str, str], expected: list[tuple[str, int]]) -> None:
    right = {"title": "中文标题。", "comment": "一条注释，", "more": "接着写。"}
    found = check_snippet(SNIPPET.format(**right | changed), TERMS)
    assert [(f.rule, f.line) for f in found] == expected


def test_yaml_strings() -> None:
    text = "# 注释,不看\nname: PyTorch指南\nwords:\n  - 您好\n  - |\n    一行。\n    两行.\n"
    assert [(f.rule, f.line) for f in check_yaml(text, ())] == [("Z11", 2), ("Z12", 4), ("Z01", 7)]
    assert check_yaml("name: PyTorch 指南\nplugins: !ENV [X, y]\n", ()) == []

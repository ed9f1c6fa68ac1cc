"""The first use of a glossary term on a page: a link to its entry, and what it says beside it."""

from __future__ import annotations

import json
import logging
import re

import jieba
import pytest
from playwright.sync_api import Browser, Page, expect
from rendering import rendered

from gpu_guide.data.entries import load_glossary
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE
from gpu_guide.render.term_links import _forms, _pattern, explanations, term_words

TERMS = load_glossary(HERE)


def links(text: str, language: str = "en") -> list[tuple[str, str]]:
    """The anchors that the text's links lead to, and their words."""
    html = rendered(text, language, "attr_list", "admonition", "tables", root=HERE.root)
    return re.findall(r'<a href="%PAGES%/reference/glossary/#([^"]+)">([^<]*)</a>', html)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A tensor on a stream; the tensor.", [("tensor", "tensor"), ("stream", "stream")]),
        ("Kernels start. A kernel.", [("kernel-cuda", "Kernels")]),
        ("**Pinned memory** is *pinned memory*.", [("pinned-page-locked-memory", "Pinned memory")]),
        ("# A tensor\n\n`tensor` and [tensor](x.md)", []),
        (
            "DistributedDataParallel, or DDP",
            [("distributeddataparallel-ddp", "DistributedDataParallel")],
        ),
        ("DDP and torch.tensor and tensorboard", [("distributeddataparallel-ddp", "DDP")]),
        ("- one\n- a wheel\n\n> a stream", [("wheel", "wheel"), ("stream", "stream")]),
        ("The caching allocator.", [("caching-allocator", "caching allocator")]),
    ],
)
def test_the_first_use_is_linked_and_nothing_else(text: str, found: list[tuple[str, str]]) -> None:
    assert links(text) == found


def test_chinese_words_are_found_without_blanks_and_the_longest_first() -> None:
    said = "张量并行把张量分到几块 GPU 上，用DDP训练，块和流不算。"
    assert links(said, "zh") == [
        ("tensor-parallel", "张量并行"),
        ("tensor", "张量"),
        ("distributeddataparallel-ddp", "DDP"),
    ]


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Its kernel module is not loaded. Then a kernel ran.", "en", ["kernel"]),
        ("Look into the kernel's log, and restart the kernel.", "en", []),
        ("Adapters of rank 16 on each rank.", "en", ["rank"]),
        ("QLoRA 的 rank 取 16。", "zh", []),
        ("这时进程卡住，而浏览器卡住不算。", "zh", ["进程卡住"]),
        ("The block of code; free blocks merge.", "en", ["free blocks"]),
        ("块很多；空闲块会合并。", "zh", ["空闲块"]),
    ],
)
def test_a_word_is_linked_only_where_it_means_the_term(
    text: str, language: str, found: list[str]
) -> None:
    assert [words for _, words in links(text, language)] == found


def test_a_page_says_which_sense_of_a_word_it_means() -> None:
    said = "[Shared memory](term:shared-memory-cuda) of a block. No other shared memory."
    assert links(said) == [("shared-memory-cuda", "Shared memory")]
    assert links("Workers use shared memory.") == [("shared-memory-of-processes", "shared memory")]


def test_longer_words_stand_on_a_page_or_in_data() -> None:
    """One that nothing says any more would let off, or link, whatever is written next."""
    sources = [*HERE.docs.rglob("*.md"), *HERE.data.rglob("*.yml"), *HERE.labs.glob("*.py")]
    sources.remove(HERE.glossary)
    said = "\n".join(path.read_text(encoding="utf-8") for path in sources).lower()
    said = said.replace("''", "'")  # as YAML writes it
    longer = [word for term in TERMS for word in (*term.linked_as, *term.not_within)]
    assert [word for word in longer if word.lower() not in said] == []


def test_brackets_are_no_word_unless_they_are_short_for_one() -> None:
    words = {term.id: list(_forms(term, "en")) for term in TERMS}
    assert words["kernel-cuda"] == ["kernel"]
    assert words["out-of-memory-oom"] == ["out of memory", "OOM"]
    assert words["streaming-multiprocessor-sm"] == ["streaming multiprocessor", "SM"]
    assert words["gpu-memory-vram"] == ["GPU memory", "VRAM"]


@pytest.mark.parametrize("language", HERE.languages)
def test_the_script_explains_every_term(language: str) -> None:
    script = explanations(HERE, language)
    said = json.loads(script.removeprefix("guideTerms=").removesuffix(";\n"))
    assert said.keys() == {term.id for term in TERMS if term.explain}
    assert said["tensor"][1] == next(t for t in TERMS if t.en == "tensor").explain[language]


def test_languages_that_do_not_link_a_word_are_languages() -> None:
    assert {one for term in TERMS for one in term.not_linked_in} <= set(HERE.languages)


# --- In a browser --------------------------------------------------------------------------------


LINK = 'article a[href$="reference/glossary/#caching-allocator"]'


@pytest.mark.build
@pytest.mark.browser
@pytest.mark.parametrize("language", HERE.languages)
def test_a_term_is_explained_on_hover_and_on_focus(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/memory/")
    term = next(t for t in TERMS if t.id == "caching-allocator")
    link, tip = page.locator(LINK).first, page.get_by_role("tooltip")
    expect(tip).to_have_count(0)
    link.hover()
    expect(tip).to_have_text(term.explain[language])
    tip.hover()  # WCAG 1.4.13: it may be pointed at, and Escape takes it away
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    link.focus()
    expect(tip).to_have_text(term.explain[language])
    assert link.get_attribute("aria-describedby") == tip.get_attribute("id")
    page.keyboard.press("Enter")
    page.wait_for_url("**/reference/glossary/#caching-allocator")


@pytest.mark.build
@pytest.mark.browser
def test_the_first_tap_explains_and_the_second_goes_there(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}zh/memory/")
    link, tip = page.locator(LINK).first, page.get_by_role("tooltip")
    link.tap()
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.url.endswith("/memory/")
    link.tap()
    page.wait_for_url("**/reference/glossary/#caching-allocator")
    context.close()


# --- No word is cut, and no other sense is linked ------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("这个 PyTorch 编译时用的 CUDA 版本", "zh", []),
        ("CUDA 版本和 CUDA 版", "zh", ["CUDA 版"]),
        ("镜像站还没有同步这个目录", "zh", ["镜像站"]),
        ("要同步的调用", "zh", ["要同步的调用"]),
        ("风扇卡住，编译卡住", "zh", []),
        ("八个进程里有一个出错，训练卡住", "zh", ["训练卡住"]),
        ("Docker 用的是 WSL 2 后端", "zh", []),
        ("叫作后端（backend）", "zh", ["后端（backend）"]),
        ("把学习率预热的步数加长", "zh", []),
        ("计时之前先预热", "zh", ["先预热"]),
        ("设想这样一条流水线，另有一条流", "zh", ["一条流"]),
        ("加大虚拟内存，再看内存", "zh", ["内存"]),
        ("the WSL 2 backend and the backend", "en", ["backend"]),
    ],
)
def test_a_word_is_linked_whole_and_in_the_glossarys_sense(
    text: str, language: str, found: list[str]
) -> None:
    assert [said for _, said in links(text, language)] == found


MISREAD = {
    *("块内存", "内存不足", "次数", "版报", "第一条", "从前", "完整", "成分", "存在"),
    *("四维张量",),
}
"""Words that jieba sees across the end of a term although none is meant: 那块内存, 微批次数."""


def test_no_term_is_cut_out_of_a_longer_word_of_the_pages() -> None:
    """Chinese has no blanks: the words are those of jieba's dictionary."""
    jieba.setLogLevel(logging.WARNING)
    jieba.load_userdict(str(HERE.data / "search_words.txt"))
    ids = term_words(HERE)["zh"]
    pattern = _pattern(tuple(ids), True)
    cut: dict[str, str] = {}
    for page in load_pages(HERE)[0]["zh"].values():
        for line in (line for line in page.lines if line.kind == "prose"):
            text = re.sub(r"`[^`]*`|\]\([^)]*\)", "。", line.text).lower()
            ends = [found.span() for found in pattern.finditer(text) if ids[found[0]]]
            begin = 0
            for word in jieba.cut(text, HMM=False):
                inside = range(begin + 1, begin + len(word))
                if any(place in inside for span in ends for place in span):
                    cut[word] = f"{page.address}:{line.number}: {text[begin - 6 : begin + 10]}"
                begin += len(word)
    assert {word: where for word, where in cut.items() if word not in MISREAD} == {}
    assert cut.keys() >= MISREAD, f"no longer needed: {MISREAD - cut.keys()}"

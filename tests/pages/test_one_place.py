"""What is told in one place and linked from the others: lists that drifted apart before.

Saving memory has one ladder, on memory/save, and what takes memory only on several GPUs has one
table, on multi-gpu/index, with the contexts on GPU 0 in an answer of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from gpu_guide import ROOT
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE

PAGES = {
    lang: [
        parse(path, ROOT / "docs" / lang) for path in sorted((ROOT / "docs" / lang).rglob("*.md"))
    ]
    for lang in HERE.languages
}
_LINK = re.compile(r"\]\(([^)#]*)#([\w-]+)\)")
_ROW = re.compile(r"^\s*(?:\||[-*] |\d+\. )")


def page_at(lang: str, address: str) -> Page:
    (page,) = (page for page in PAGES[lang] if page.address == address)
    return page


def rows(page: Page) -> Iterator[str]:
    """The rows of its tables and the items of its lists."""
    return (line.text for line in page.lines if line.kind == "prose" and _ROW.match(line.text))


def sections(page: Page) -> list[str]:
    return [heading.id for heading in page.headings if heading.level > 1 and heading.id]


def ladder(lang: str) -> list[str]:
    """The sections of memory/save to which the rows of its first table lead."""
    page = page_at(lang, "memory/save.md")
    table = next(i for i, line in enumerate(page.lines) if line.text.startswith("|---"))
    below = [line.text for line in page.lines[table + 1 :]]
    table_rows = below[: below.index("")]
    named = (re.findall(r"\]\(#([\w-]+)\)", row)[:1] for row in table_rows)
    return [ids[0] for ids in named if ids]


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_ladder_and_the_sections_below_it_have_one_order(lang: str) -> None:
    steps = ladder(lang)
    order = [id for id in sections(page_at(lang, "memory/save.md")) if id in steps]
    assert steps == order and len(steps) > 6


@pytest.mark.parametrize("lang", HERE.languages)
def test_no_other_page_has_a_ladder_of_its_own(lang: str) -> None:
    steps = {*ladder(lang)}
    for page in PAGES[lang]:
        led = [
            (target.rpartition("/")[2], id)
            for row in rows(page)
            for target, id in _LINK.findall(row)
        ]
        techniques = {id for file, id in led if file == "save.md" and id in steps}
        assert len(techniques) < 3, f"{page.path}: a second ladder: link to memory/save instead"


@pytest.mark.parametrize("lang", HERE.languages)
@pytest.mark.parametrize(
    ("remedy", "home"),
    [
        ("gradient_as_bucket_view=True", "multi-gpu/index.md"),
        ("data-parallel.md#to-ddp", "multi-gpu/index.md"),
    ],
)
def test_a_remedy_for_memory_on_several_gpus_is_listed_once(
    remedy: str, home: str, lang: str
) -> None:
    """Pages on other subjects may use it; a list of causes and remedies has it in one place."""
    listed = Counter(page.address for page in PAGES[lang] for row in rows(page) if remedy in row)
    told = {address for address in listed if address.startswith(("memory/", "multi-gpu/"))}
    assert told == {home}, f"{remedy} is listed on {sorted(told)}: link to {home}"


@pytest.mark.parametrize("lang", HERE.languages)
def test_contexts_on_gpu_0_are_explained_once(lang: str) -> None:
    tool = "TORCH_CUDA_CHECK_STRAY_CONTEXT"
    told = {page.address for page in PAGES[lang] if any(tool in line.text for line in page.lines)}
    assert told == {"answers/several-gpus.md"}, "link to answers/several-gpus#gpu-0 instead"

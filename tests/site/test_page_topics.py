"""The end of a page: the messages that it explains and the names of torch that its code uses."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from gpu_guide.data.errors import load_errors
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE
from gpu_guide.site.page_topics import EVERYWHERE, covered


def test_every_message_is_named_by_the_page_that_explains_it() -> None:
    pages = covered(HERE, "zh")
    for message in load_errors(HERE).values():
        page = f"{message.page.partition('#')[0]}.md"
        if not page.startswith("reference/"):
            named = [address for _, address in pages[page].errors]
            assert f"reference/errors/{message.group}/#{message.id}" in named


def test_names_of_torch_are_those_of_the_pages_snippets_but_for_the_commonest() -> None:
    pages = covered(HERE, "en")
    names = [name for name, _ in pages["speed/streams.md"].apis]
    assert "torch.cuda.Stream" in names and names == sorted(
        names, key=lambda name: (name.lower(), name)
    )
    for page, one in pages.items():
        source = "".join(
            (HERE.snippets / f"{use.name}.py").read_text("utf-8")
            for use in load_pages(HERE)[0]["en"][page].snippets
        )
        assert all(re.search(rf"\b{name.rpartition('.')[2]}\b", source) for name, _ in one.apis)
    counts = [name for one in pages.values() for name, _ in one.apis]
    assert max(counts.count(name) for name in set(counts)) <= EVERYWHERE
    assert "torch.ones" not in counts


@pytest.mark.build
@pytest.mark.parametrize("language", HERE.languages)
def test_they_stand_at_the_end_of_the_built_pages(site: Path, language: str) -> None:
    for page, one in covered(HERE, language).items():
        folder = page.removesuffix(".md").removesuffix("index").strip("/")
        html = (site / language / folder / "index.html").read_text(encoding="utf-8")
        html = html.replace("<wbr>", "")
        end = html.partition('<details class="covered">')[2].partition("</details>")[0]
        shown = [unescape(name) for name in re.findall(r"<li><a [^>]+><code>(.*?)</code>", end)]
        assert shown == [name for name, _ in (*one.errors, *one.apis)], page

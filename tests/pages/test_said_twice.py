"""No two pages say the same thing in the same words: one has it, and the others link."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from gpu_guide.pages.page import Page, load_pages
from gpu_guide.project import HERE, about

RUN = {"han": 24, "words": 14}
"""So many in a row are no chance."""
ON_PURPOSE = re.compile(r"R580")
"""The newest build's least driver and GPU are named in one way everywhere: see test_one_build."""
NOT_PROSE = re.compile(r"\]\([^)]*\)|\{ #[^}]*\}|<[^>]*>|^\[\^.*|https?://\S+")
PAGES, _ = load_pages(HERE)


def runs(page: Page, han: bool) -> Iterator[tuple[str, ...]]:
    size = RUN["han" if han else "words"]
    for line in page.lines:
        if line.kind == "prose" and not ON_PURPOSE.search(line.text):
            text = NOT_PROSE.sub(" ", line.text)
            units = re.findall(r"[\u4e00-\u9fff]|[A-Za-z0-9_]+" if han else r"[\w'’]+", text)
            yield from (tuple(units[at : at + size]) for at in range(len(units) - size + 1))


@pytest.mark.parametrize("lang", sorted(HERE.languages))
def test_no_two_pages_share_a_run_of_words(lang: str) -> None:
    han = bool(about(lang).han)
    said: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for address, page in PAGES[lang].items():
        if not address.startswith(("reference/message/", "changes", "labs/")):
            for run in runs(page, han):
                said[run].add(address)
    twice = {tuple(sorted(places)): run for run, places in said.items() if len(places) > 1}
    join = "" if han else " "
    assert {places: join.join(run) for places, run in twice.items()} == {}

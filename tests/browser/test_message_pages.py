"""The messages' own pages: what search engines read of them, their links, how they look."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from browser import SCHEMES, Watch, axe, launched, load_axe, served, too_wide, use_scheme
from built_site import LANGUAGES, SITE_URL, language_pages, read_pages
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from gpu_guide.data import addresses
from gpu_guide.data.errors import Message, load_errors
from gpu_guide.project import HERE
from gpu_guide.site import message_pages

MESSAGES = load_errors(HERE)


def text_of(site: Path, language: str, message: Message) -> str:
    """The page, without what says where a phone may break a line."""
    page = site / language / message.own_page / "index.html"
    html = page.read_text(encoding="utf-8")
    return unescape(re.sub(r"<wbr>|<span class=\"w\d\">([^<]*)</span>", r"\1", html))


def test_titles_are_short_and_each_is_of_one_message() -> None:
    titles = [message_pages.title(message) for message in MESSAGES.values()]
    assert len(set(titles)) == len(titles)
    assert all(0 < len(title) <= message_pages.TITLE_LENGTH for title in titles)
    for title, message in zip(titles, MESSAGES.values(), strict=True):
        assert message.says[0].startswith(title.removesuffix(" …"))


def test_each_address_is_noted() -> None:
    noted = addresses.load(HERE.addresses)
    assert {message.own_page for message in MESSAGES.values()} <= noted.keys()


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_has_title_description_and_the_whole_of_its_entry(site: Path, language: str) -> None:
    pages = language_pages(site, language)
    for message in MESSAGES.values():
        page = pages[f"{message.own_page}/index.html"]
        assert page.title.startswith(message_pages.title(message)), message.id
        assert page.description == message.means[language].replace("`", ""), message.id
        text = text_of(site, language, message)
        for wording in message.says:
            assert f"<code>{wording}</code>" in text, message.id
        for said in (message.means, message.fix, message.confirm, message.apart):
            for part in re.split(r"`|(?:\A|\n+)(?:- |\d+\. |)", said.get(language, "")):
                assert part in text, message.id
        targets = {link.target for link in page.links}
        assert {f"../../../{MESSAGES[other].own_page}/" for other in message.unlike} <= targets
        assert f"../../../reference/errors/{message.group}/#{message.id}" in targets
        if message.snippet:
            assert f"../../../../snippets/{message.snippet}.py" in targets
    descriptions = [page.description for page in pages.values()]
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.build
def test_no_mark_is_left_and_the_shell_is_not_published(site: Path) -> None:
    assert not [name for name in read_pages(site) if message_pages.ID in name]
    for language in LANGUAGES:
        for message in MESSAGES.values():
            text = text_of(site, language, message)
            assert "MESSAGE-" not in text
            assert "index.md" not in text, "only pages with a file of their own are Markdown too"
        assert "MESSAGE-" not in (site / language / "sitemap.xml").read_text("utf-8")
        index = (site / language / "search" / "search_index.json").read_text("utf-8")
        assert "reference/message" not in index and "MESSAGE-" not in index


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lists_keep_their_anchors_and_link_to_the_pages(site: Path, language: str) -> None:
    pages = language_pages(site, language)
    for message in MESSAGES.values():
        group = pages[f"reference/errors/{message.group}/index.html"]
        assert message.id in group.ids
        assert f"../../../{message.own_page}/" in {link.target for link in group.links}


@pytest.fixture(scope="module")
def tab(site: Path) -> Iterator[tuple[Tab, str]]:
    with served(site, SITE_URL) as address, launched() as browser:
        yield _tab(browser), address


def _tab(browser: Browser) -> Tab:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    return context.new_page()


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_nothing_is_too_wide_and_axe_finds_nothing(
    tab: tuple[Tab, str], language: str
) -> None:
    page, address = tab
    watch = Watch(page, address)
    longest = max(MESSAGES.values(), key=lambda message: len(message.says[0]))
    for message in (longest, MESSAGES["not-compiled-with-cuda"]):
        page.goto(f"{address}{language}/{message.own_page}/")
        assert too_wide(page) == []
        load_axe(page)
        for scheme, rules in SCHEMES.items():
            use_scheme(page, scheme)
            assert axe(page, rules) == []
    assert watch.take() == []

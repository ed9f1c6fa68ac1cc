"""The switches of language and of colours, and the page at the root, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import PHONE, headings
from built_site import shown_pages
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser


def test_language_switch_stays_on_page_and_heading(page: Page, address: str, site: Path) -> None:
    """On some pages: that both languages have the same headings, the search index shows of all."""
    for name in shown_pages(site, "zh")[::15]:
        path = name.removesuffix("index.html")
        page.goto(f"{address}zh/{path}")
        anchor = "".join(f"#{heading}" for heading in headings(page)[-1:])
        page.goto(f"{address}zh/{path}{anchor}")
        for language in ("en", "zh"):
            page.click("a[data-language]")
            page.wait_for_url(f"{address}{language}/{path}*")
            assert page.url == f"{address}{language}/{path}{anchor}"
            assert page.locator("html").get_attribute("lang") == language


def test_language_switch_follows_the_heading_scrolled_to(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{address}zh/start/")
    heading = headings(page)[2]
    page.evaluate("id => document.getElementById(id).scrollIntoView()", heading)
    page.click("a[data-language]")
    page.wait_for_url(f"{address}en/start/#{heading}")

    page.goto(f"{address}zh/start/")  # at the top there is no heading to stay on
    page.click("a[data-language]")
    page.wait_for_url(f"{address}en/start/")


@pytest.mark.parametrize(
    ("locale", "language"), [("zh-CN", "zh"), ("zh-TW", "zh"), ("en-GB", "en"), ("fr-FR", "en")]
)
def test_root_routes_by_the_browsers_language(
    browser: Browser, address: str, locale: str, language: str
) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(address)
    page.wait_for_url(f"{address}{language}/")
    context.close()


def test_root_remembers_the_choice_and_can_be_stayed_on(browser: Browser, address: str) -> None:
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    page.goto(f"{address}zh/check/")
    page.click("a[data-language=en]")
    page.wait_for_url(f"{address}en/check/")
    page.goto(address)
    page.wait_for_url(f"{address}en/")

    page.goto(f"{address}?choose")
    page.click("text=中文")
    page.wait_for_url(f"{address}zh/")
    page.goto(address)
    page.wait_for_url(f"{address}zh/")
    page.go_back()  # not to the router, which would send the reader here again
    assert page.url.startswith(f"{address}zh/") or page.url.endswith("?choose")
    context.close()


def test_root_without_javascript_is_two_links(plain: Page, address: str) -> None:
    plain.goto(address)
    assert plain.url == address
    plain.click("text=English")
    assert plain.url == f"{address}en/"
    plain.click("text=中文")
    assert plain.url == f"{address}zh/"


def test_dark_colours_are_kept_in_the_other_language(page: Page, address: str) -> None:
    page.goto(f"{address}zh/")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.click("label[for=__palette_1]")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.click("a[data-language]")
    page.wait_for_url(f"{address}en/")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.click("label[for=__palette_0]")
    expect(body).to_have_attribute("data-md-color-scheme", "default")

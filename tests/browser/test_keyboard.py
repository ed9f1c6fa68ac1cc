"""What the keyboard reaches in a real browser: content, tools, search, language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

TOOLS = {
    "install/": ".wheel-chooser",
    "memory/fit/": ".fit",
    "memory/snapshot-viewer/": ".snapshot",
    "memory/caching-allocator/": ".allocator",
    "current-device/visible-devices/": ".visible",
    "speed/asynchronous/": ".lanes",
    "multi-gpu/costs/": ".calculator",
    "multi-gpu/collectives/": ".ring-steps",
    "multi-gpu/tensor-and-pipeline-parallel/": ".schedules",
    "reference/diagnose/": ".diagnose",
}


@pytest.mark.parametrize("path", TOOLS)
def test_a_tool_is_four_keys_away(page: Page, address: str, path: str) -> None:
    """Without the second link at the top it takes 42 to 61 of them."""
    page.goto(f"{address}en/{path}")
    page.locator(TOOLS[path]).locator("input, button, select, textarea").first.wait_for(
        state="attached"
    )
    for key in ("Tab", "Tab"):
        page.keyboard.press(key)
    expect(page.locator(":focus")).to_have_text("Skip to the tool on this page")
    expect(page.locator(":focus")).to_have_css("opacity", "1")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = "name => document.querySelector(name).contains(document.activeElement)"
    assert page.evaluate(inside, TOOLS[path])
    assert page.locator("#__tool").count() == 1


def test_a_page_without_a_tool_has_one_link_to_skip_to(page: Page, address: str) -> None:
    page.goto(f"{address}en/memory/leaks/")
    assert page.locator(".md-skip").count() == 1


def test_keyboard_reaches_content_search_and_language(page: Page, address: str) -> None:
    page.goto(f"{address}en/start/")
    page.keyboard.press("Tab")
    assert "md-skip" in page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#.+"))

    page.goto(f"{address}en/start/")
    focused = []
    for _ in range(12):
        page.keyboard.press("Tab")
        focused.append(page.evaluate("document.activeElement.className"))
    assert any("language-switch" in name for name in focused)
    assert any("md-search__input" in name for name in focused)

    page.keyboard.press("Escape")
    # The theme closes the search a moment after Escape, and would close the one that "/" opens.
    expect(page.locator("#__search")).not_to_be_checked()
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    expect(page.locator("#__search")).to_be_checked()
    page.keyboard.insert_text("driver")  # each answer draws the list anew: here it is one
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert "md-search-result__link" in page.evaluate("document.activeElement.className")

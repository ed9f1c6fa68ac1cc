"""The button "Copy page": what it copies, what it says, and what it does where it cannot copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_site import built_site
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PLACE = "zh/check/not-available/"


def text() -> str:
    return Path(built_site(), PLACE, "index.md").read_text(encoding="utf-8")


def test_it_copies_the_markdown_by_keyboard_and_says_so(page: Page, address: str) -> None:
    page.goto(address + PLACE)
    button = page.get_by_role("button", name="复制本页")
    button.focus()
    button.press("Enter")
    expect(page.get_by_role("status").filter(has_text="已复制")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == text()
    expect(button).to_be_focused()


@pytest.mark.parametrize("lacking", ["navigator.clipboard", "ClipboardItem"])
def test_without_the_clipboard_api_it_copies_what_it_selects(
    page: Page, address: str, lacking: str
) -> None:
    owner, _, name = lacking.rpartition(".")
    page.add_init_script(
        f"Object.defineProperty({owner or 'globalThis'}, '{name}', {{ value: undefined }});"
    )
    page.goto(address + PLACE)
    page.get_by_role("button", name="复制本页").click()
    expect(page.get_by_role("status").filter(has_text="已复制")).to_be_visible()
    assert page.locator("textarea").count() == 0


def test_where_nothing_can_be_copied_it_opens_the_markdown(page: Page, address: str) -> None:
    page.add_init_script("delete globalThis.ClipboardItem; document.execCommand = () => false;")
    page.goto(address + PLACE)
    page.get_by_role("button", name="复制本页").click()
    page.wait_for_url("**/index.md")


def test_without_scripts_there_is_the_link_alone(plain: Page, address: str) -> None:
    plain.goto(address + PLACE)
    expect(plain.locator(".copy-page button")).to_be_hidden()
    assert plain.get_by_role("link", name="Markdown").get_attribute("href") == "index.md"

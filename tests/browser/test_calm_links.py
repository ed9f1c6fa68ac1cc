"""Links in running text: a term of the glossary is quieter than a link to another page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LOOKS = """one => {
  const style = getComputedStyle(one), around = getComputedStyle(one.parentElement);
  return [style.textDecorationStyle, style.textDecorationLine, style.color === around.color];
}"""


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_term_is_dotted_in_the_ink_of_its_text_and_a_link_is_not(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/multi-gpu/ddp/")
    term = page.locator("article p > a[href*='reference/glossary/#']").first
    link = page.locator("article p > a[href^='../']:not([href*='glossary'])").first
    assert term.evaluate(LOOKS) == ["dotted", "underline", True]
    assert link.evaluate(LOOKS) == ["solid", "underline", False]

"""The table of tools on the home page: each has a picture, and the issue's tools are there."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

TOOLS = (
    "install/#chooser",
    "reference/diagnose/",
    "check/doctor/",
    "memory/fit/",
    "memory/dry-run/",
    "memory/caching-allocator/",
    "memory/snapshot-viewer/",
    "exercises/",
    "labs/",
    "check/tools/#get",
)
PICTURE = """link => {
  const { backgroundImage, width } = getComputedStyle(link, "::before");
  const [, address] = backgroundImage.match(/^url\\("(data:image.svg.*)"\\)$/) ?? [];
  return address && parseFloat(width) > 40
    ? new Promise(done => {
        const image = new Image();
        image.onload = () => done(image.naturalWidth > 0);
        image.onerror = () => done(false);
        image.src = address.replaceAll('\\\\"', '"');
      })
    : false;
}"""


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_tool_has_a_picture(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/")
    links = page.locator("#tools ~ .md-typeset__scrollwrap td:first-child > a").all()
    found = {link.get_attribute("href"): link.evaluate(PICTURE) for link in links}
    assert found.keys() >= set(TOOLS)
    assert [link for link, has in found.items() if not has] == []

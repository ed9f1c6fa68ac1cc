"""A link to a section that is gone opens the one that has its words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("check/hardware/#common-mistakes", "check/hardware/#numbers"),
        ("answers/memory/#vllm-fills", "answers/inference/#vllm-fills"),
        ("#errors", "reference/errors/#common"),
    ],
)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_old_section_leads_on(
    page: Page, address: str, language: str, old: str, now: str
) -> None:
    page.goto(f"{address}{language}/{old}")
    expect(page).to_have_url(re.compile(f"{re.escape(f'/{language}/{now}')}$"))
    expect(page.locator(f"#{now.partition('#')[2]}")).to_be_in_viewport()

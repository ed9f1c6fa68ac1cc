"""What a visitor of the home page looks for is at most three visible links away."""

from __future__ import annotations

import re

import pytest
from browser import PHONE, WINDOW, resize
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

WAYS = {
    "train my first model on a GPU": (
        {"en": ["Learn", "Train a model on one GPU"], "zh": ["学习", "在一块 GPU 上训练一个模型"]},
        "DataLoader",
    ),
    "why is my GPU not found": (
        {"en": ["GPU not available"], "zh": ["GPU 不可用"]},
        "torch.cuda.is_available()",
    ),
    "7B fine-tuning on 24 GB": ({"en": ["Will it fit?"], "zh": ["放得下吗？"]}, "24 GiB"),
    "my script for two GPUs": (
        {"en": ["Learn", "Two GPUs: DDP"], "zh": ["学习", "两块 GPU：DDP"]},
        "DistributedDataParallel",
    ),
    "what torch.cuda.device does": (
        {"en": ["Learn", "Which GPU"], "zh": ["学习", "用哪一块 GPU"]},
        "with torch.cuda.device(1):",
    ),
}
"""For what is looked for, the words of the links in each language, and what the page then shows."""
MOST = 3


@pytest.mark.parametrize("size", [WINDOW, PHONE], ids=["window", "phone"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_people_look_for_is_three_clicks_away(
    page: Page, address: str, language: str, size: dict[str, int]
) -> None:
    resize(page, size)
    for wanted, (links, shown) in WAYS.items():
        page.goto(f"{address}{language}/")
        assert len(links[language]) <= MOST
        for words in links[language]:
            link = page.locator("article a", has_text=re.compile(f"^{re.escape(words)}$")).first
            expect(link, f"{wanted}: {words}").to_be_visible()
            before = page.url
            link.click()
            page.wait_for_url(lambda url, before=before: url != before)
        said = page.locator("article").get_by_text(shown).locator("visible=true").first
        expect(said, wanted).to_be_visible()

"""What is cramped on a page in a window as wide as a phone."""

from __future__ import annotations

from playwright.sync_api import Page

SIZE = {"width": 390, "height": 844}
"""A window of most phones; of a narrow one, see `browser.PHONE`."""
SCREENS = 20
"""A page is at most so long."""


def cramped(page: Page) -> list[str]:
    """Code and tables that scroll sideways, names in the text that break elsewhere than at their
    signs, also in what is folded, and whether the page is longer than SCREENS."""
    return page.evaluate(_SEEN, SCREENS)


_SEEN = """screens => {
  const shown = (one) => one.getClientRects().length > 0;
  const wide = (one) => one.scrollWidth > one.clientWidth + 1;
  const all = (names) => [...document.querySelectorAll(names)].filter(shown);
  const long = document.documentElement.scrollHeight / innerHeight;
  const folded = [...document.querySelectorAll("article details:not([open])")];
  for (const one of folded) one.open = true;
  const hides = (one) => getComputedStyle(one).overflowX !== "visible";
  const scrolls = (one) => !one.matches("article")
    && (wide(one) && hides(one) || scrolls(one.parentElement));
  const broken = [];
  for (const code of all("article code")) {
    if (code.closest("pre")) continue;
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[A-Za-z0-9]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(`${word} in ${code.textContent}`);
      }
    }
  }
  const code = all("article pre:not(.drawn) > code, article .cell__text").filter(wide);
  const tables = all("article table").filter(scrolls);
  for (const one of folded) one.open = false;
  return [
    ...code.map((one) => `code scrolls: ${one.textContent.slice(0, 60)}`),
    ...tables.map((one) => `a table scrolls: ${one.innerText.slice(0, 60)}`),
    ...broken.map((one) => `broken: ${one}`),
    ...long > screens ? [`${long.toFixed(1)} screens, more than ${screens}`] : [],
  ];
}"""

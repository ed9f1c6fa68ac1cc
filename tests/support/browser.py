"""A browser for the tests, the built site served to it, and what they ask of a page."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    Response,
)

from gpu_guide.problems import GuideError
from gpu_guide.site import chromium

WINDOW = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
SIZES_AND_SCHEMES = [(WINDOW, "default"), (PHONE, "slate")]
"""Between them they have both sizes and both schemes: what changes colours does so in each size."""
SEEN_RULES = ["color-contrast", "target-size"]
"""What axe checks where all that changes is how things look."""


def find_browser() -> str:
    """The path of a Chromium.

    Without one the test that asks is skipped; where $CI is set it fails.
    """
    try:
        return chromium.find_browser()
    except GuideError as error:
        reason = str(error)
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless browser that reaches this machine only."""
    find_browser()
    with chromium.launched() as browser:
        yield browser


@contextmanager
def served(site: Path, site_url: str) -> Iterator[str]:
    """Serve `site` on a free port, in the same folder as at `site_url`; yield its address."""
    prefix = urlsplit(site_url).path

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            if path == _AXE_PATH:
                return str(_AXE)
            inside = path.startswith(prefix)
            return super().translate_path("/" + path.removeprefix(prefix) if inside else "/none")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Watch:
    """What goes wrong on a page while it is open: `problems`, cleared by `take`."""

    def __init__(self, page: Page, address: str) -> None:
        self._host = urlsplit(address).netloc
        self._problems: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._problems.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def take(self) -> list[str]:
        """The problems since the last call."""
        problems, self._problems = self._problems, []
        return problems

    def _console(self, message: ConsoleMessage) -> None:
        where = message.location["url"]
        # What names no icon, such as a page's Markdown, makes the browser ask its host for one.
        if message.type in ("error", "warning") and urlsplit(where).path != "/favicon.ico":
            self._problems.append(f"console: {message.text} ({where})")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self._host:
            self._problems.append(f"another host: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # given up because the test left the page
            self._problems.append(f"failed: {request.url} ({request.failure})")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self._problems.append(f"status {response.status}: {response.url}")


_AXE = Path(str(files("axe_playwright_python"))) / "axe.min.js"
_AXE_PATH = "/axe.min.js"
"""Where `served` has it."""
_AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN_AXE = """async ([where, options]) => (await axe.run(where, options)).violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.target.join(' ')} - ${node.failureSummary}`))
"""


SCHEMES = {"default": None, "slate": ["color-contrast", "link-in-text-block"]}
"""The schemes of colours, and the rules that axe checks in each: in the second those that ask for
colours, because the others would say the same again."""


def load_axe(page: Page) -> None:
    """Put axe-core, which checks accessibility, into the page that is open."""
    if page.url.startswith("http"):
        page.add_script_tag(url=_AXE_PATH)  # which the browser compiles once
    else:
        page.evaluate(_AXE.read_text(encoding="utf-8"))


def computed(page: Page, function: str, value: object) -> Any:
    """What the JavaScript function answers. The value and the answer are handed over as JSON, as
    Playwright's own form, which knows more than numbers and texts, took sixteen times as long for
    the 16,000 wishes of the wheel chooser."""
    sent = f"async value => JSON.stringify(await ({function})(JSON.parse(value)))"
    return json.loads(page.evaluate(sent, json.dumps(value)))


def axe(page: Page, rules: list[str] | None = None, where: str = ":root") -> list[str]:
    """What breaks WCAG 2.2 A and AA or axe's best practice on the page as it is now, or on a part.

    All rules are checked, or only `rules`.
    """
    only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": _AXE_TAGS}
    options = {"runOnly": only, "resultTypes": ["violations"]}
    if rules:
        options["preload"] = False  # all style sheets once more, which no rule named here reads
    return page.evaluate(_RUN_AXE, [where, options])


def uncolour_code(page: Page) -> None:
    """Make plain text of highlighted code: its words are most of a page, and cost axe most of its
    time. What they look like depends on `code_classes` alone."""
    page.eval_on_selector_all(
        ".highlight code", "all => all.forEach(code => { code.textContent = code.textContent; })"
    )


def thin_out(page: Page, seen: Iterable[int] = ()) -> list[int]:
    """Leave the first two and the last of elements that are built alike in places that are alike,
    and none of those that other pages had: axe's time grows with the elements, and of a list of 500
    APIs, of the same menu on each page or of a tenth snippet it would say the same.

    `seen` is what the calls for other pages returned: a number for each kind of element in its
    place. Languages have kinds of their own.

    Alike are elements with the same names, classes, styles and other attributes and with children
    of the same kinds, of which the same have no text and the same scroll; their places, if names
    and classes of all around them are the same. Headings, cells of a row and places to break a word
    stay, and so does all that stands in a link, a button or a list of definitions, and what refers
    to something outside itself or is referred to from there.
    """
    return computed(page, _THIN_OUT, [*seen])


_THIN_OUT = """seen => {
  const before = new Set(seen), now = new Set();
  const named = ['class', 'style', 'role', 'type', 'tabindex', 'hidden', 'open', 'lang', 'dir'];
  const refers = /^aria-(controls|labelledby|describedby|owns)$|^for$/;
  const known = new Map(), scrolls = new Map(), links = [];
  for (const e of document.body.querySelectorAll('*')) {
    scrolls.set(e, e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight);
    for (const { name, value } of e.attributes) if (refers.test(name))
      for (const id of value.split(' ')) links.push([e, document.getElementById(id)]);
  }
  const said = a => named.includes(a.name) ? a.name + '=' + a.value : a.name + !a.value;
  const shape = e => {
    if (!known.has(e)) known.set(e, [
      e.tagName, scrolls.get(e), !e.textContent.trim(), ...[...e.attributes].map(said).sort(),
      ...(e.tagName === 'svg' ? [] : [...new Set([...e.children].map(shape))].sort()),
    ].join(' ') + ';');
    return known.get(e);
  };
  const heading = 'h1,h2,h3,h4,h5,h6', whole = heading + ',th,a,button,label,summary,dl';
  const stays = e => e.matches('td,th,wbr,' + heading) || e.querySelector(heading) !== null
    || links.some(([from, to]) => e.contains(from) !== e.contains(to));
  const number = text => {
    let found = 0;
    for (let i = 0; i < text.length; i++) found = (found * 31 + text.charCodeAt(i)) % (2 ** 47);
    return found;
  };
  const thin = (parents, place) => {
    const all = parents.flatMap(parent => [...parent.children]);
    const kept = [];
    for (const [built, group] of Map.groupBy(all, shape)) {
      const one = number(place + ' > ' + built), known = before.has(one);
      now.add(one);
      group.forEach((e, i) => {
        const shown = !known && (i < 2 || i === group.length - 1);
        if (shown || stays(e)) kept.push(e); else e.remove();
      });
    }
    const open = kept.filter(e => e.children.length && !e.matches('svg,' + whole));
    for (const [name, alike] of Map.groupBy(open, e => e.tagName + '.' + e.className))
      thin(alike, place + ' > ' + name);
  };
  thin([document.body], document.documentElement.lang);
  return [...now];
}"""


def code_classes(site: Path) -> list[str]:
    """Every class that a word of highlighted code has on some page."""
    found: set[str] = set()
    for page in site.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        for block in re.findall(r'<div class="[^"]*highlight">.*?</div>', html, re.DOTALL):
            found |= set(re.findall(r'<span class="([^"]+)"', block))
    return sorted(found)


def location(page: Page) -> str:
    """The address that the page has now: Playwright's own hears of a change a moment later."""
    return page.evaluate("location.href")


def headings(page: Page) -> list[str]:
    """The ids of the page's headings below its title."""
    return page.eval_on_selector_all("article :is(h2, h3)[id]", "all => all.map(one => one.id)")


def use_scheme(page: Page, scheme: str) -> None:
    """Show the page in the theme's `default` (light) or `slate` (dark) colours."""
    page.emulate_media(color_scheme="dark" if scheme == "slate" else "light")
    page.evaluate("scheme => document.body.dataset.mdColorScheme = scheme", scheme)


def resize(page: Page, size: dict[str, int]) -> None:
    """Change the window and wait until the page has taken notice: after two frames, or after five
    seconds in a browser that draws no more, which would otherwise be waited for without end."""
    page.set_viewport_size(size)
    page.evaluate(
        """() => new Promise(noticed => {
            requestAnimationFrame(() => requestAnimationFrame(noticed));
            setTimeout(noticed, 5000);
        })"""
    )


def too_wide(page: Page) -> list[str]:
    """The innermost elements that make the page scroll sideways."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
        [...document.querySelectorAll('body *')]
          .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.children.length)
          .map(e => e.outerHTML.slice(0, 120)).concat('the page scrolls sideways')"""
    )


def broken_words(page: Page) -> list[str]:
    """The Latin words of headings that begin on one line and end on the next, but for code."""
    return page.evaluate(
        """() => {
          const broken = [];
          for (const heading of document.querySelectorAll('.md-content :is(h1, h2, h3)')) {
            const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
              const text = texts.currentNode;
              if (text.parentElement.closest('code, .headerlink')) continue;
              for (const { 0: word, index } of text.data.matchAll(/\\b[A-Za-z]{2,}\\b/g)) {
                const range = document.createRange();
                range.setStart(text, index);
                range.setEnd(text, index + word.length);
                const lines = new Set([...range.getClientRects()].map(box => box.top));
                if (lines.size > 1) broken.push(`${word} in ${heading.textContent} is broken`);
              }
            }
          }
          return broken;
        }"""
    )


def faults_on_a_phone(page: Page, part: str) -> list[str]:
    """What axe finds on a part of the page as it is now, and what is too wide, on a phone, in both
    colour schemes. What stands around it is what test_browser.py looks at on every page."""
    load_axe(page)
    resize(page, PHONE)
    found = []
    for scheme, rules in SCHEMES.items():
        use_scheme(page, scheme)
        found += [f"{scheme}: {fault}" for fault in (*axe(page, rules, part), *too_wide(page))]
    resize(page, WINDOW)
    return found


def top_results(page: Page, query: str) -> list[str]:
    """The addresses of the pages found, best first, once the results are those of `query`.

    The box is emptied first, and that has to be answered before the query is typed. Otherwise the
    answer to the empty box could come after it, and be taken for the query's.
    """
    box = page.locator(".md-search__input")
    words = json.loads(page.locator("#__config").text_content())["translations"]
    asked = words["search.result.placeholder"]
    for typed in ("", query):
        box.fill(typed)
        # Looked at in each frame: an `expect` would look again only after a tenth of a second.
        page.wait_for_function(
            """([asked, empty]) => (document.querySelector(".md-search-result__meta")
                .textContent.trim() === asked) === empty""",
            arg=[asked, typed == ""],
        )
    items = page.locator(
        ".md-search-result__item"
    )  # each with a link to the page and to places on it
    urls = items.evaluate_all("all => all.map(one => one.querySelector('a').href)")
    return [urlsplit(url).path for url in urls]


_ANSWERS = """async ([language, queries]) => {
  const index = await fetch(`${language}search/search_index.json`).then((found) => found.json());
  for (const read of [readWords, readPlaces, readHomes, readRanking, readMessages]) read(index);
  const page = (item) => item.find(({ location }) => !location.includes("#")) ?? item.at(-1);
  const address = (item) => new URL(page(item).location, language).pathname;
  return queries.map((query) => answer(query).items.map(address));
}"""


def answers(page: Page, language: str, queries: list[str]) -> list[list[str]]:
    """The same as `top_results` of each query, from the scripts of the search worker and not from
    the box, which takes ten times as long. `language` is the address of the language's site."""
    page.goto(language)
    page.add_script_tag(url=f"{language}assets/search-answers.js")
    return computed(page, _ANSWERS, [language, queries])

"""Every page in a real browser: requests, weight, width, colours and accessibility."""

from __future__ import annotations

import gzip
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import phone
import pytest
from browser import (
    PHONE,
    WINDOW,
    Watch,
    axe,
    broken_words,
    code_classes,
    find_browser,
    launched,
    load_axe,
    resize,
    thin_out,
    too_wide,
    uncolour_code,
    use_scheme,
)
from built_site import page_paths
from playwright.sync_api import Browser, Page, expect

from gpu_guide.only_changed import changed_since
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE

pytestmark = pytest.mark.browser


# Of one page, with everything that is loaded before somebody searches.
MAX_REQUESTS = 12
MAX_BYTES = 80 * 1024
HEADERS = 200
"""Of each answer, which Lighthouse counts, too."""

# What readers play with on one page each. It comes on top: an ordinary page has no program.
PROGRAMS = re.compile(
    r"(allocator|calculator|diagnose|diagnosis-(rules|texts)|errors|fit|form|lanes|ring-steps"
    r"|schedules|snapshot(-engine)?|visible|wheel-chooser)\.js"
    r"|(calculator|diagnose|fit|wheel-chooser)\.css"
)
# What a smaller window or other colours can break; the rest is the same in every state.
LAYOUT_RULES = [
    "color-contrast",
    "target-size",
    "scrollable-region-focusable",
    "link-in-text-block",
]
STATES = [(PHONE, "slate", LAYOUT_RULES), (WINDOW, "default", None)]
"""Between them they have both sizes and both schemes: what is on one page alone is seen in each."""
OTHER_STATES = [(PHONE, "default", LAYOUT_RULES), (WINDOW, "slate", ["color-contrast"])]
"""For what only one size shows and one scheme colours, the menu beside the text, say. Every page
has it, so it is looked for on some."""
WHOLE = 20
"""Of so many pages axe looks at one whole."""


def test_a_missing_browser_is_a_failure_in_ci_and_a_skip_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GPU_GUIDE_BROWSER", "no-such-browser")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no-such-browser"):
        find_browser()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no-such-browser"):
        find_browser()


def test_every_page_in_both_sizes_and_schemes(
    address: str, site: Path, pytestconfig: pytest.Config
) -> None:
    """No error, no failed or foreign request, nothing cramped on a phone, no sideways scroll,
    nothing that axe finds, and light enough for a slow connection.

    On some pages axe looks at each kind of element, on the others at those that none before
    had; headings, cells and what refers to something else are on all of them."""
    find_browser()
    since = pytestconfig.getoption("since", None)
    every = opened(page_paths(site), changed_since(since, HERE) if since else None)
    # A browser for each of two threads: axe keeps a processor busy for most of a second a page. One
    # has the Chinese pages, because elements are known by the language that they are in.
    chinese = {path: whole for path, whole in every.items() if path.startswith("zh/")}
    others = {path: whole for path, whole in every.items() if path not in chinese}
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(partial(faults, address, site), (chinese, others))
    assert sorted(chain.from_iterable(found)) == []


def opened(every: list[str], changed: list[Path] | None) -> dict[str, bool]:
    """The pages that are opened, and of which of them axe sees the whole.

    Those are all pages, or where nothing `changed` but pages and snippets, the pages that have them
    and, for what all share, those that axe sees whole."""
    # On a page outside of the menu, all of the menu scrolls: then it has to hold a link.
    found = {path: n % WHOLE == 0 or not path.endswith("/") for n, path in enumerate(every)}
    touched = None if changed is None else with_these(changed)
    return {p: whole for p, whole in found.items() if whole or touched is None or p in touched}


def with_these(changed: list[Path]) -> set[str] | None:
    """The pages with these files, as the ends of addresses; None where others may have changed."""
    found: set[str] = set()
    pages = [page for one in load_pages(HERE)[0].values() for page in one.values()]
    for path in changed:
        if path.is_relative_to(HERE.docs) and path.suffix in (".md", ".ipynb"):
            shown_by = [path]
        elif path.is_relative_to(HERE.snippets) and path.suffix == ".py":
            name = path.relative_to(HERE.snippets).with_suffix("").as_posix()
            shown_by = [page.path for page in pages if name in {use.name for use in page.snippets}]
        else:
            return None
        for page in shown_by:
            place = page.relative_to(HERE.docs).with_suffix("")
            place = place.parent if place.name == "index" else place
            found.add(f"{place.as_posix()}/")
    return found


def test_of_a_change_to_pages_and_snippets_theirs_are_opened_and_a_few_others(site: Path) -> None:
    every = page_paths(site)
    changed = [HERE.docs / "zh/check/index.md", HERE.snippets / "start/six_steps.py"]
    changed += [HERE.docs / "en/index.md", HERE.docs / "zh/labs/transfers.ipynb"]
    theirs = {"zh/check/", "en/", "zh/start/", "en/start/", "zh/labs/transfers/"}
    assert with_these(changed) >= theirs and with_these(changed) <= {*every}
    some = opened(every, changed)
    assert {*some} >= theirs | {"404.html", "?choose", every[WHOLE]} and len(some) < len(every) / 5
    assert [*opened(every, [*changed, HERE.theme / "main.html"])] == every == [*opened(every, None)]


def faults(address: str, site: Path, some: dict[str, bool]) -> list[str]:
    """What is wrong with these pages, in a browser of their own. Of some axe sees the whole."""
    found: list[str] = []
    with launched() as browser:
        page = browser.new_page(viewport=WINDOW, reduced_motion="reduce")
        page.set_default_timeout(10_000)
        watch = Watch(page, address)
        requests: list[str] = []
        seen: set[int] = set()
        page.on("request", lambda request: requests.append(urlsplit(request.url).path))
        for path, whole in some.items():
            page.set_viewport_size(phone.SIZE)
            requests.clear()
            page.goto(address + path)
            problems = phone.cramped(page)
            resize(page, PHONE)
            problems += [*too_wide(page), *broken_words(page)]
            problems += too_heavy(site, set(requests), urlsplit(address).path)
            uncolour_code(page)
            seen |= {*thin_out(page, () if whole else seen)}
            load_axe(page)
            for size, scheme, rules in [*STATES, *(OTHER_STATES if whole else ())]:
                resize(page, size)
                use_scheme(page, scheme)
                where = f"{size['width']} px, {scheme}"
                problems += [f"{where}: {problem}" for problem in axe(page, rules)]
            found += [f"{path}: {problem}" for problem in [*problems, *watch.take()]]
    return found


def test_thinning_out_leaves_what_is_unlike_its_siblings(browser: Browser) -> None:
    alike = "<li>text <code>x</code></li>"
    unlike = [
        '<li style="color: #eee">pale <code>x</code></li>',
        '<li>text <a href="."></a></li>',
        '<li>text <code class="y">x</code></li>',
        '<li id="named">text <code>x</code></li>',
    ]
    half = alike * 50
    with browser.new_page() as page:
        page.set_content(
            f"<main><h1>a</h1><ul>{half}{''.join(unlike)}{half}</ul>{f'<ul>{half}</ul>' * 9}"
            f"<ul>{half}<li>text <button></button></li></ul>"
            '<h2>b</h2><h2>c</h2><h2>d</h2><h2>e</h2><p aria-describedby="named">f</p></main>'
        )
        thin_out(page)
        assert page.locator("ul").count() == 2 + 3
        assert page.locator("li").count() == 3 + len(unlike) + 1
        assert page.locator("h2").count() == 4
        load_axe(page)
        found = {problem.partition(":")[0] for problem in axe(page)}
        assert {"color-contrast", "link-name", "button-name"} <= found


def test_thinning_out_leaves_what_no_page_before_had(browser: Browser) -> None:
    before = "<p>text</p><p>more <code>x</code></p><ul><li>one</li></ul>"
    pale = '<p style="color: #eee">pale</p>'
    with browser.new_page() as page:

        def left(lang: str, seen: list[int]) -> tuple[list[int], int]:
            text = f"<h1>a</h1><main><h2>b</h2>{before}{pale if seen else ''}<h2>c</h2></main>"
            page.set_content(f'<html lang="{lang}"><title>a</title><body>{text}</body></html>')
            return thin_out(page, seen), page.locator("p, li, h2").count()

        seen, first = left("en", [])
        assert first == 5
        assert left("en", seen)[1] == 3
        load_axe(page)
        assert [problem for problem in axe(page) if problem.startswith("color-contrast")]
        assert left("zh", seen)[1] == 6


def too_heavy(site: Path, paths: set[str], root: str) -> list[str]:
    """What is wrong with the files that a page has asked for, compressed as a server would."""
    files = [site / path.removeprefix(root) for path in paths]
    files = [file / "index.html" if file.is_dir() else file for file in files]
    sizes = {
        file.name: len(gzip.compress(file.read_bytes(), 6)) for file in files if file.is_file()
    }
    found = [f"{len(files)} requests: {sorted(sizes)}"] if len(files) > MAX_REQUESTS else []
    weight = sum(HEADERS + size for name, size in sizes.items() if not PROGRAMS.fullmatch(name))
    if weight > MAX_BYTES:
        found.append(f"{weight} bytes, at most {MAX_BYTES}: {sizes}")
    if "search_index.json" in sizes:
        found.append("the search index is loaded before anybody searches")
    return found


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_every_colour_of_code_can_be_read(
    page: Page, address: str, site: Path, scheme: str
) -> None:
    page.goto(address + "en/start/")
    classes = code_classes(site)
    assert {"k", "snippet__output"} <= set(classes)
    page.evaluate(
        """classes => document.querySelector('.highlight code').innerHTML = classes.map(
            name => `<span class="${name}">word</span>\\n`).join('')""",
        classes,
    )
    load_axe(page)
    use_scheme(page, scheme)
    assert axe(page, ["color-contrast"]) == []


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_open_search_and_open_drawer(page: Page, address: str, language: str, scheme: str) -> None:
    page.goto(f"{address}{language}/check/")
    use_scheme(page, scheme)
    page.keyboard.press("/")
    page.keyboard.type("is_available")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    load_axe(page)
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE)
    page.locator("header label[for=__drawer]").click()
    expect(page.locator(".md-nav--primary")).to_be_in_viewport()
    assert axe(page) == []


def test_a_table_that_scrolls_can_be_reached_by_keyboard(page: Page, address: str) -> None:
    page.goto(f"{address}en/")
    table = page.locator(".md-typeset__scrollwrap").first
    expect(table).not_to_have_attribute("tabindex", "0")
    table.locator("td").first.evaluate("cell => cell.style.minWidth = '2000px'")
    resize(page, PHONE)
    expect(table).to_have_attribute("tabindex", "0")
    assert too_wide(page) == []

"""The built site in a real browser: requests, width, accessibility, switches, copying, search."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser import (
    PHONE,
    WINDOW,
    Watch,
    axe,
    broken_words,
    code_classes,
    find_browser,
    headings,
    launched,
    load_axe,
    resize,
    thin_out,
    too_wide,
    uncolour_code,
    use_scheme,
)
from built_site import language_pages
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gpu_guide import ROOT
from gpu_guide.project import HERE
from gpu_guide.snippets.distributed_setup import FRAME
from gpu_guide.snippets.model import load_snippets

pytestmark = pytest.mark.browser

# Of one page, with everything that is loaded before somebody searches.
MAX_REQUESTS = 12
MAX_BYTES = 80 * 1024
HEADERS = 200
"""Of each answer, which Lighthouse counts, too."""
# What readers play with on one page each. It comes on top: an ordinary page has no program.
PROGRAMS = frozenset(
    {
        "allocator.js",
        "calculator.js",
        "calculator.css",
        "diagnose.js",
        "diagnose.css",
        "diagnosis-rules.js",
        "diagnosis-texts.js",
        "errors.js",
        "fit.js",
        "fit.css",
        "form.js",
        "lanes.js",
        "ring-steps.js",
        "schedules.js",
        "visible.js",
        "snapshot-engine.js",
        "snapshot.js",
        "wheel-chooser.js",
        "wheel-chooser.css",
    }
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


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport=WINDOW, reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture(scope="module")
def tab(context: BrowserContext) -> Page:
    """One tab for all tests: opening one costs more than a page."""
    return context.new_page()


@pytest.fixture(scope="module")
def watch(tab: Page, address: str) -> Watch:
    return Watch(tab, address)


@pytest.fixture
def page(tab: Page, watch: Watch) -> Iterator[Page]:
    """The tab, at desktop width and without stored choices; its test fails on any problem seen."""
    tab.set_viewport_size(WINDOW)
    tab.emulate_media(color_scheme="light")
    tab.context.clear_cookies()
    watch.take()
    yield tab
    if not tab.url.startswith("about:"):
        tab.evaluate("localStorage.clear()")
    assert watch.take() == []


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


def opened(site: Path, language: str) -> list[str]:
    """The files of all pages, but of the messages' own, which fill one shell, only the shortest
    and the longest."""
    names = [*language_pages(site, language)]
    own = [name for name in names if name.startswith("reference/message/")]
    own.sort(key=lambda name: (site / language / name).stat().st_size)
    return [name for name in names if name not in own[1:-1]]


def paths(site: Path) -> list[str]:
    """Every page that is opened, as the end of an address."""
    found = [
        f"{language}/{name.removesuffix('index.html')}"
        for language in ("zh", "en")
        for name in opened(site, language)
    ]
    return [*found, "zh/404.html", "en/404.html", "404.html", "?choose"]


def test_every_page_in_both_sizes_and_schemes(address: str, site: Path) -> None:
    """No error, no failed or foreign request, no sideways scroll, nothing that axe finds, and light
    enough for a slow connection.

    On some pages axe looks at each kind of element, on the others at those that none before
    had; headings, cells and what refers to something else are on all of them."""
    find_browser()
    every = paths(site)
    # A browser for each of two threads: axe keeps a processor busy for most of a second a page. One
    # has the Chinese pages, because elements are known by the language that they are in.
    chinese = [path for path in every if path.startswith("zh/")]
    others = [path for path in every if path not in chinese]
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(partial(faults, address, site), (chinese, others))
    assert sorted(chain.from_iterable(found)) == []


def faults(address: str, site: Path, some: list[str]) -> list[str]:
    """What is wrong with these pages, in a browser of their own."""
    found: list[str] = []
    with launched() as browser:
        page = browser.new_page(viewport=WINDOW, reduced_motion="reduce")
        page.set_default_timeout(10_000)
        watch = Watch(page, address)
        requests: list[str] = []
        seen: set[int] = set()
        page.on("request", lambda request: requests.append(urlsplit(request.url).path))
        for number, path in enumerate(some):
            page.set_viewport_size(PHONE)
            requests.clear()
            page.goto(address + path)
            problems = [*too_wide(page), *broken_words(page)]
            problems += too_heavy(site, set(requests), urlsplit(address).path)
            uncolour_code(page)
            # On a page outside of the menu, all of the menu scrolls: then it has to hold a link.
            whole = number % WHOLE == 0 or not path.endswith("/")
            seen |= {*thin_out(page, () if whole else seen)}
            load_axe(page)
            for size, scheme, rules in [*STATES, *(OTHER_STATES if number % WHOLE == 0 else ())]:
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
    weight = sum(HEADERS + size for name, size in sizes.items() if name not in PROGRAMS)
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
    assert {"kn", "snippet__output"} <= set(classes)
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
    page.emulate_media(color_scheme="light")


def test_a_table_that_scrolls_can_be_reached_by_keyboard(page: Page, address: str) -> None:
    page.goto(f"{address}en/")
    table = page.locator(".md-typeset__scrollwrap").first
    expect(table).not_to_have_attribute("tabindex", "0")
    table.locator("td").first.evaluate("cell => cell.style.minWidth = '2000px'")
    resize(page, PHONE)
    expect(table).to_have_attribute("tabindex", "0")
    assert too_wide(page) == []


def test_language_switch_stays_on_page_and_heading(page: Page, address: str, site: Path) -> None:
    """On some pages: that both languages have the same headings, test_site.py sees on all."""
    for name in opened(site, "zh")[::15]:
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
    ("locale", "language"),
    [("zh-CN", "zh"), ("zh-TW", "zh"), ("en-GB", "en"), ("fr-FR", "en")],
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


def test_copy_takes_the_code_without_outputs(page: Page, address: str, site: Path) -> None:
    """On every tenth page, of the first snippet: the button does the same for each."""
    snippets = load_snippets(HERE)
    copied = 0
    some = [path for path in paths(site) if not path.endswith(("404.html", "?choose"))][::10]
    for path in some:
        page.goto(address + path)
        for figure in page.locator("figure.snippet:has(.snippet__output)").all()[:1]:
            button = figure.locator("button[data-clipboard-target], .md-code__button").first
            page.evaluate("navigator.clipboard.writeText('')")
            button.scroll_into_view_if_needed()
            button.click()
            page.wait_for_function("async () => await navigator.clipboard.readText() !== ''")
            text = page.evaluate("navigator.clipboard.readText()")
            name = figure.get_attribute("data-snippet") or ""
            lines = snippets[name].code("zh" if path.startswith("zh/") else "en").split("\n")
            code = "\n".join(line for line in lines if not line.lstrip().startswith("#>"))
            assert text == code.rstrip(), f"{path}: {name}"
            copied += 1
    assert copied > len(some) / 2


def test_selecting_with_the_mouse_leaves_outputs_out(page: Page, address: str) -> None:
    page.goto(f"{address}zh/start/")
    block = page.locator("pre:has(.snippet__output) code").first
    assert "#>" in block.inner_text()
    block.evaluate("code => getSelection().selectAllChildren(code)")
    page.keyboard.press("Control+c")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "print(" in text
    assert "#>" not in text


def test_folded_lines_open_by_keyboard_and_are_copied_either_way(page: Page, address: str) -> None:
    page.goto(f"{address}en/multi-gpu/collectives/")
    block = page.locator("pre:has(.snippet__frame) code").first
    folded, fold = block.locator(".snippet__frame"), block.get_by_role("checkbox")
    assert folded.bounding_box()["height"] <= 1
    block.evaluate("code => getSelection().selectAllChildren(code)")
    page.keyboard.press("Control+c")
    assert FRAME in page.evaluate("navigator.clipboard.readText()")
    fold.focus()
    page.keyboard.press("Space")
    assert folded.bounding_box()["height"] > 60
    page.keyboard.press("Space")
    button = block.locator("xpath=ancestor::figure").locator(".md-code__button").first
    page.evaluate("navigator.clipboard.writeText('')")
    button.click()
    page.wait_for_function("async () => await navigator.clipboard.readText() !== ''")
    assert FRAME in page.evaluate("navigator.clipboard.readText()")


def test_how_to_run_opens_by_keyboard_where_it_stands_and_is_taken_whole(
    page: Page, address: str
) -> None:
    for language in ("zh", "en"):
        page.goto(f"{address}{language}/multi-gpu/ddp/")
        for size in (PHONE, WINDOW):
            page.set_viewport_size(size)
            fold = page.locator(".snippet__how").first
            summary, command = fold.locator("summary"), fold.locator("code").first
            download = fold.locator("xpath=preceding-sibling::a")
            beside, before = download.bounding_box(), summary.bounding_box()
            assert before["x"] >= beside["x"] + beside["width"]  # neither covers the other
            assert before["y"] < beside["y"] + beside["height"]  # in the line of the download
            expect(command).to_be_hidden()
            summary.focus()
            page.keyboard.press("Enter")
            expect(command).to_be_visible()
            moved = summary.bounding_box()["y"] - download.bounding_box()["y"]
            assert moved == before["y"] - beside["y"]
            assert command.evaluate("code => getComputedStyle(code).userSelect") == "all"
            page.keyboard.press("Enter")
            expect(command).to_be_hidden()


def test_download_link_gives_the_file(page: Page, address: str, site: Path) -> None:
    for language in ("zh", "en"):
        page.goto(f"{address}{language}/check/")
        figure = page.locator("figure.snippet").first
        with page.expect_download() as download:
            figure.locator(".snippet__download").click()
        name = figure.get_attribute("data-snippet")
        assert download.value.suggested_filename == f"{name}.py".rpartition("/")[2]
        given = Path(download.value.path()).read_bytes()
        assert given.startswith(b"# /// script\n")
        assert given.endswith((ROOT / "snippets" / f"{name}.py").read_bytes())


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
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    page.keyboard.insert_text("driver")  # each answer draws the list anew: here it is one
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert "md-search-result__link" in page.evaluate("document.activeElement.className")

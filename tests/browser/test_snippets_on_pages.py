"""Code on a page in a real browser: copied, selected, unfolded, run and downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import PHONE, WINDOW
from built_site import page_paths
from playwright.sync_api import Page, expect

from gpu_guide import ROOT
from gpu_guide.project import HERE
from gpu_guide.snippets.distributed_setup import FRAME
from gpu_guide.snippets.model import load_snippets

pytestmark = pytest.mark.browser


def test_copy_takes_the_code_without_outputs(page: Page, address: str, site: Path) -> None:
    """On every tenth page, of the first snippet: the button does the same for each."""
    snippets = load_snippets(HERE)
    copied = 0
    some = [path for path in page_paths(site) if not path.endswith(("404.html", "?choose"))][::10]
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

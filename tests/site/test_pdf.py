"""The PDFs of sections: outline, page numbers, Chinese text, code and links; and print styles."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import find_browser
from built_site import LANGUAGES, SITE_URL, built_site
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

from gpu_guide.cli import main
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.site import pdf as module
from gpu_guide.site.pdf import pdf, whole
from gpu_guide.site.sections import Section, sections

SECTION = "to"


@pytest.fixture(scope="session")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PdfReader]:
    """A section of each language, printed."""
    find_browser()
    written = pdf(HERE, tmp_path_factory.mktemp("pdf"), built_site(), [SECTION])
    assert [path.name for path in written] == [f"{SECTION}-{one}.pdf" for one in LANGUAGES]
    return dict(zip(LANGUAGES, map(PdfReader, written), strict=True))


def section(language: str, name: str = SECTION) -> Section:
    return next(one for one in sections(HERE, language) if one.name == name)


def outline(reader: PdfReader) -> list[tuple[int, str, int]]:
    """Depth, title and number of the sheet of each entry, top down."""

    def entries(items: list, depth: int) -> Iterator[tuple[int, str, int]]:
        for item in items:
            if isinstance(item, list):
                yield from entries(item, depth + 1)
            else:
                yield depth, item.title, reader.get_destination_page_number(item)

    return list(entries(reader.outline, 0))


# --- what is printed -----------------------------------------------------------------------------


def test_both_languages_have_the_same_sections_and_every_page_but_the_home_page_is_in_one() -> None:
    zh, en = (sections(HERE, language) for language in LANGUAGES)
    assert [(one.name, one.pages) for one in zh] == [(one.name, one.pages) for one in en]
    assert [one.title for one in zh] != [one.title for one in en]
    names = [one.name for one in zh]
    assert len(set(names)) == len(names) > 8
    assert "" not in {page for one in zh for page in one.pages}


def test_an_unknown_section_and_what_is_no_site_are_told(tmp_path: Path) -> None:
    with pytest.raises(GuideError, match=r"no section 'memry'.*'memory'"):
        pdf(HERE, tmp_path, tmp_path, ["memry"])
    with pytest.raises(GuideError, match="is no built site"):
        pdf(HERE, tmp_path, tmp_path, ["memory"])


def test_without_a_browser_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPU_GUIDE_BROWSER", "no-such-browser")
    assert main(["pdf", "to", "--out", str(tmp_path)]) == 1
    assert "GPU_GUIDE_BROWSER is 'no-such-browser', which is no program" in capsys.readouterr().err
    monkeypatch.delenv("GPU_GUIDE_BROWSER")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["pdf", "to", "--out", str(tmp_path)]) == 1
    assert "Install Chromium, Chrome or Edge" in capsys.readouterr().err


def test_without_a_chinese_font_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module.sys, "platform", "linux")
    monkeypatch.setattr(module.shutil, "which", lambda name: name)
    said = subprocess.CompletedProcess([], 0, stdout=b"\n")
    monkeypatch.setattr(module.subprocess, "run", lambda *_, **__: said)
    with pytest.raises(GuideError, match="fonts-noto-cjk"):
        module._check_fonts()
    said.stdout = b"/usr/share/fonts/noto.ttc: Noto Sans CJK SC\n"
    module._check_fonts()


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_are_unique_and_each_link_inside_leads_to_one(language: str) -> None:
    site = built_site() / language
    for one in sections(HERE, language):
        html = whole(HERE, site, language, one)
        ids = re.findall(r'<[a-z][^<>]*\sid="([^"]+)"', html)
        assert len(ids) == len(set(ids)), one.name
        inside = set(re.findall(r'<a [^<>]*href="#([^"]+)"', html))
        assert len(inside) >= len(one.pages)
        assert not inside - set(ids), one.name
        outside = re.findall(r'<a [^<>]*href="(?!#)([^"]+)"', html)
        assert not [link for link in outside if not re.match(r"[a-z]+:", link)], one.name
        assert not [link for page in one.pages for link in outside if link == f"{SITE_URL}{page}"]
        for source in re.findall(r'<(?:img|link) [^<>]*(?:src|href)="([^"]+)"', html):
            assert (site / source).is_file(), source


@pytest.mark.browser
@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_outline_has_each_page_and_its_headings(
    readers: dict[str, PdfReader], language: str
) -> None:
    found, one = outline(readers[language]), section(language)
    first = [(title, sheet) for depth, title, sheet in found if depth == 0]
    assert first[0] == (one.title, 0)
    assert len(first) == 1 + len(one.pages)
    sheets = [sheet for _, sheet in first]
    assert sheets == sorted(set(sheets)), "each page begins on a sheet of its own"
    assert sum(depth == 1 for depth, *_ in found) > 3 * len(one.pages)


@pytest.mark.browser
@pytest.mark.build
@pytest.mark.parametrize(
    ("language", "says"),
    [("zh", ["模型会移动自己，张量不会", "常见误区"]), ("en", ["Common mistakes", "Version"])],
)
def test_text_code_numbers_and_what_is_folded_are_there(
    readers: dict[str, PdfReader], language: str, says: list[str]
) -> None:
    reader = readers[language]
    texts = [sheet.extract_text() for sheet in reader.pages]
    count = len(texts)
    assert 10 < count < 80
    for number, text in enumerate(texts, start=1):
        assert re.search(rf"\b{number} ?/ ?{count}\b", text), number
    # A line end on paper is none of the text.
    whole = re.sub(r"\s+", "" if language == "zh" else " ", "\n".join(texts))
    for words in says:
        assert words in whole
    code = re.sub(r"\s+", "", "".join(texts))
    assert "importtorch" in code and "#>" in code
    assert "torch.channels_last" in code  # in the list that is folded at the end of a page


@pytest.mark.browser
@pytest.mark.build
def test_links_lead_inside_or_to_the_site_and_the_file_is_tagged(
    readers: dict[str, PdfReader],
) -> None:
    reader = readers["zh"]
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    notes = [note.get_object() for sheet in reader.pages for note in sheet.get("/Annots") or []]
    inside = [note for note in notes if "/Dest" in note or note.get("/A", {}).get("/S") == "/GoTo"]
    addresses = {note["/A"]["/URI"] for note in notes if "/URI" in note.get("/A", {})}
    assert len(inside) > len(section("zh").pages)
    assert any(address.startswith(f"{SITE_URL}zh/reference/") for address in addresses)
    assert not [address for address in addresses if not address.startswith("http")]


def test_a_range_of_characters_with_a_radical_is_written_one_by_one() -> None:
    table = "<00> <FF>\n<0A> <2F42>\n<0B> <0D> <2EDA>\n<0E> <0F> <6587>\n"
    said = "<00> <FF>\n<0A> <6587>\n<0B> <0D> [<9875> <98CE> <98DE>]\n<0E> <0F> <6587>\n"
    assert module._MAPPED.sub(module._characters, table) == said


# --- a page as readers print it ------------------------------------------------------------------


@pytest.fixture
def paper(browser: Browser) -> Iterator[Page]:
    """A page as it is printed, by somebody who reads it in dark colours."""
    context = browser.new_context(color_scheme="dark", viewport={"width": 665, "height": 980})
    page = context.new_page()
    page.emulate_media(media="print", color_scheme="dark")
    yield page
    context.close()


@pytest.mark.browser
@pytest.mark.build
def test_paper_is_white_and_shows_what_a_screen_folds(paper: Page) -> None:
    site = built_site()
    paper.goto((site / "zh" / "multi-gpu" / "collectives" / "index.html").as_uri())
    paper.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    ink = paper.locator("article p").first.evaluate("one => getComputedStyle(one).color")
    assert max(map(int, re.findall(r"\d+", ink)[:3])) < 64
    for part in (".md-header", ".md-sidebar", ".md-footer", ".md-tabs", ".md-code__nav"):
        assert not [one for one in paper.locator(part).all() if one.is_visible()], part
    assert paper.locator(".snippet__frame").first.bounding_box()["height"] > 40
    folded = paper.locator("details.covered a").first
    # The theme opens it for paper, unless its script is switched off or has not run yet.
    paper.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false })")
    assert folded.bounding_box()["height"] > 5
    paper.goto((site / "zh" / "multi-gpu" / "setup" / "index.html").as_uri())
    tabs = paper.locator(".tabbed-set").first.locator(".tabbed-block")
    assert tabs.count() > 1
    assert all(one.bounding_box()["height"] > 20 for one in tabs.all())
    wide = paper.locator("pre > code").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert wide == 0


@pytest.mark.browser
@pytest.mark.build
def test_addresses_of_other_sites_are_written_out(paper: Page) -> None:
    paper.goto((built_site() / "en" / "to" / "index.html").as_uri())
    after = "one => getComputedStyle(one, '::after').content"
    other = paper.locator("article p > a[href^='https://docs.pytorch.org']").first
    assert "https://docs.pytorch.org" in other.evaluate(after)
    assert paper.locator("article p > a[href^='#']").first.evaluate(after) == "none"

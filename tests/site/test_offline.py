"""The zip of the site: its bytes, its links, and how it works from a folder without a network."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from browser import Watch, top_results
from built_site import LANGUAGES, SITE_URL, built_site, read_pages
from inline_build import InThisProcess
from playwright.sync_api import Browser, Page, expect

from gpu_guide import ROOT, fast_yaml
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import MARKER, build
from gpu_guide.site.offline import NAME, README, offline, pack
from gpu_guide.site.sections import sections

QUERIES = fast_yaml.load((ROOT / "data" / "search_queries.yml").read_text(encoding="utf-8"))
BOX = ".md-search__input"
RESULT = ".md-search-result__item a"


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip of the whole site."""
    out = tmp_path_factory.mktemp("offline") / f"{NAME}.zip"
    assert offline(HERE, out, built_site()) == out.stat().st_size
    return out


@pytest.fixture(scope="session")
def folder(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has who unpacked it, in a folder with a name as readers have them."""
    there = tmp_path_factory.mktemp("下载 #1")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(there)
    return there / NAME


# --- the zip -------------------------------------------------------------------------------------


def test_the_same_files_give_the_same_bytes_whenever_they_were_written(tmp_path: Path) -> None:
    digests = set()
    for number, names in enumerate((["b/x.html", "a.txt"], ["a.txt", "b/x.html"])):
        site = tmp_path / str(number) / NAME
        for name in names:
            path = site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"文 {name}", encoding="utf-8")
            os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
            path.chmod(0o600 if number else 0o644)
        pack(site, tmp_path / f"{number}.zip")
        digests.add(hashlib.sha256((tmp_path / f"{number}.zip").read_bytes()).hexdigest())
    assert len(digests) == 1
    with zipfile.ZipFile(tmp_path / "0.zip") as archive:
        assert archive.namelist() == [f"{NAME}/a.txt", f"{NAME}/b/x.html"]
        assert archive.testzip() is None


def test_what_is_no_built_site_and_what_is_no_zip_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GuideError, match=re.escape(f"there is no {MARKER} in it")):
        offline(HERE, tmp_path / "x.zip", tmp_path)
    with pytest.raises(GuideError, match=r"write it like .*\.zip"):
        offline(HERE, tmp_path / "x.tar", tmp_path)


@pytest.mark.build
def test_every_link_between_pages_leads_to_a_file(folder: Path) -> None:
    pages = read_pages(folder)
    wrong = []
    for page in pages.values():
        leads = [page.refresh.partition("url=")[2]] if page.refresh else []
        for target in [*(link.target for link in page.links), *leads]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            path = Path(os.path.normpath(folder / page.name / ".." / unquote(parts.path)))
            if not path.is_file():
                wrong.append(f"{page.name}: {target}")
    assert not wrong[:20]
    assert len(pages) > 2 * 50


@pytest.mark.build
def test_nothing_is_left_for_servers_and_the_readme_speaks_both_languages(folder: Path) -> None:
    assert not [path.name for path in folder.rglob("*") if path.name in ("404.html", MARKER)]
    assert not [*folder.rglob("search_index.json")]
    said = (folder / README).read_bytes()
    assert b"\r\n" in said  # for the editor of Windows
    text = said.decode("utf-8")
    assert "先解压整个压缩包" in text and "unpack the whole zip first" in text
    assert len([*(folder / "snippets").rglob("*.py")]) > 100


@pytest.mark.build
def test_the_zip_and_the_pdfs_are_linked_only_where_the_site_is_published_with_them(
    small_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def linked(site: Path) -> dict[str, list[str]]:
        """By page of one language, the files that it offers but for snippets."""
        found = {}
        for page in (site / "en").rglob("index.html"):
            links = download.findall(page.read_text(encoding="utf-8"))
            offered = [link for link in links if link.endswith((".zip", ".pdf", "/"))]
            found[page.parent.relative_to(site / "en").as_posix()] = offered
        return found

    project, download = Project(small_project), re.compile(r'<a href="([^"]*)" download>')
    assert not any(linked(built_site()).values())
    monkeypatch.setenv("OFFLINE_ZIP", "guide.zip")
    monkeypatch.setenv("PDF_FOLDER", "pdf/")
    build(project, tmp_path / "out", SITE_URL, workers=InThisProcess())
    pdfs = {page: one.name for one in sections(project, "en") for page in one.pages}
    assert linked(tmp_path / "out") == {
        ".": [f"{SITE_URL}guide.zip"],
        "start": [f"{SITE_URL}pdf/{pdfs['start/']}-en.pdf"],
    }


# --- in a browser, from the folder ----------------------------------------------------------------


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    """A tab without a network, whose test fails on any error and any request to a host."""
    context = browser.new_context(offline=True, locale="zh-CN", reduced_motion="reduce")
    context.set_default_timeout(20_000)
    page = context.new_page()
    watch = Watch(page, folder.as_uri())
    yield page
    assert watch.take() == []
    context.close()


@pytest.mark.browser
@pytest.mark.build
def test_the_first_page_leads_to_the_readers_language_and_on(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.wait_for_url("**/zh/index.html")
    page.click("article .doors a")
    expect(page.locator("article h1")).to_have_count(1)
    page.click("a[data-language=en]")
    page.wait_for_url("**/en/**/index.html")
    page.go_back()
    page.click(".md-footer__link--next")
    page.wait_for_url("**/zh/**/index.html")


@pytest.mark.browser
@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_search_finds_what_it_finds_on_the_web(page: Page, folder: Path, language: str) -> None:
    page.goto((folder / language / "start" / "index.html").as_uri())
    page.keyboard.press("/")
    for entry in QUERIES[language][:5]:
        found = [
            path.partition(f"{NAME}/{language}/")[2] for path in top_results(page, entry["query"])
        ]
        assert {*found[:3]} & {*entry["pages"]}, entry["query"]
    left = page.url
    page.locator(RESULT).first.click()
    page.wait_for_function("address => location.href.split(/[?#]/)[0] !== address", arg=left)
    assert urldefrag(page.url)[0].split("?")[0].endswith("/index.html")
    expect(page.locator("article h1")).to_have_count(1)


@pytest.mark.browser
@pytest.mark.build
def test_search_is_left_by_enter(page: Page, folder: Path) -> None:
    page.goto((folder / "en" / "index.html").as_uri())
    page.keyboard.press("/")
    page.fill(BOX, "pinned memory")
    expect(page.locator(RESULT).first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/en/**/index.html?h=*")
    expect(page.locator("article h1")).to_have_count(1)


@pytest.mark.browser
@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_tools_work(page: Page, folder: Path, language: str) -> None:
    site = folder / language
    page.goto((site / "reference" / "diagnose" / "index.html").as_uri())
    page.fill(
        ".diagnose textarea",
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    )
    link = page.locator(".diagnose a[href*='/']").first
    expect(link).to_be_visible()
    link.click()
    page.wait_for_url("**/index.html*")
    expect(page.locator("article h1")).to_have_count(1)
    for place, part in (("install", "wheel-chooser"), ("memory/fit", "fit")):
        page.goto((site / place / "index.html").as_uri())
        choice = page.locator(f".{part} select").first
        before = page.locator(f".{part}").inner_text()
        choice.select_option(index=choice.locator("option").count() - 1)
        page.wait_for_function(
            "([part, text]) => document.querySelector(`.${part}`).innerText !== text",
            arg=[part, before],
        )


@pytest.mark.browser
@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lab_is_shown_and_its_notebook_lies_beside_it(
    page: Page, folder: Path, language: str
) -> None:
    page.goto((folder / language / "labs" / "first-training" / "index.html").as_uri())
    assert page.locator(".cell").count() > 3
    notebook = page.locator("a[href$='first-training.ipynb']").first.evaluate("one => one.href")
    assert Path(unquote(urlsplit(notebook).path)).is_file()

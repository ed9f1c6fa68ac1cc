"""The built pages: heads, addresses, sitemap, downloads, figures, and the files that they load."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from built_site import LANGUAGES, SITE_URL, check_site, language_pages, read_pages
from inline_build import InThisProcess

from gpu_guide import ROOT
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import build

HREFLANG = {"zh": "zh-CN", "en": "en"}
XHTML = "{http://www.w3.org/1999/xhtml}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def expected_alternates(path: str, site: Path | None = None) -> dict[str, str]:
    """The addresses of the page `path` (index.html cut off) for each hreflang.

    None of a page of the `site` that is in one language alone.
    """
    if site and any(f"{path}index.html" not in language_pages(site, one) for one in LANGUAGES):
        return {}
    found = {code: f"{SITE_URL}{language}/{path}" for language, code in HREFLANG.items()}
    return found | {"x-default": f"{SITE_URL}en/{path}" if path else SITE_URL}


@pytest.mark.build
def test_links_ids_titles_images_hosts_and_weight(site: Path) -> None:
    assert check_site(site, SITE_URL) == []


@pytest.mark.build
def test_both_languages_have_the_same_addresses(site: Path) -> None:
    """So the language switch leads somewhere from every page: to a notice at the least."""
    zh, en = ({name[3:] for name in read_pages(site) if name[:3] == f"{o}/"} for o in LANGUAGES)
    assert zh == en and "index.html" in zh


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_head_of_each_page(site: Path, language: str) -> None:
    pages = language_pages(site, language)
    for name, page in pages.items():
        path = name.removesuffix("index.html")
        assert page.lang == language, name
        assert page.canonical == f"{SITE_URL}{language}/{path}", name
        assert page.alternates == expected_alternates(path, site), name
    titles = [page.title for page in pages.values()]
    assert len(set(titles)) == len(titles)
    descriptions = [page.description for page in pages.values()]
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_sitemap_lists_each_page_with_its_alternates(site: Path, language: str) -> None:
    listed = {}
    for url in ET.parse(site / language / "sitemap.xml").getroot():
        location = url.findtext(f"{SITEMAP}loc")
        listed[location] = {
            link.attrib["hreflang"]: link.attrib["href"] for link in url.iter(f"{XHTML}link")
        }
    paths = [name.removesuffix("index.html") for name in language_pages(site, language)]
    assert listed == {f"{SITE_URL}{language}/{p}": expected_alternates(p, site) for p in paths}


@pytest.mark.build
def test_root_page_and_what_search_engines_ask_for(site: Path) -> None:
    root = read_pages(site)["index.html"]
    assert {link.target for link in root.links if link.tag == "a"} == {"zh/", "en/"}
    assert root.alternates == expected_alternates("")
    maps = [node.text for node in ET.parse(site / "sitemap.xml").getroot().iter(f"{SITEMAP}loc")]
    assert maps == [f"{SITE_URL}{language}/sitemap.xml" for language in LANGUAGES]
    assert f"Sitemap: {SITE_URL}sitemap.xml" in (site / "robots.txt").read_text(encoding="utf-8")


@pytest.mark.build
def test_downloads_are_the_snippets_below_what_they_need(site: Path) -> None:
    def contents(folder: Path) -> dict[str, bytes]:
        return {
            file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.py")
        }

    downloads = contents(site / "snippets")
    assert downloads
    bare = {
        name: re.sub(rb"\A# /// script\n(?:#.*\n)*?# ///\n", b"", content)
        for name, content in downloads.items()
    }
    assert bare == contents(ROOT / "snippets")
    assert [name for name in bare if bare[name] == downloads[name]] == ["check/doctor.py"]


_NAMED = re.compile(r"(?:`{3,}|~{3,})[^`~\n]*?\b(snippet|table|plot|cell|chooser)\b", re.IGNORECASE)


_SHOWN = {
    "snippet": '<figure class="snippet"',
    "plot": '<figure class="plot"',
    "table": r"<table(?: (?:data-|style=)[^>]*)?>\n<thead><tr>",
    "cell": '<div class="cell"',
    "chooser": '<div class="wheel-chooser"',
}


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_shows_as_many_figures_as_it_names(site: Path, language: str) -> None:
    """Counted apart from the parser: whatever looks like a fence of ours has to become one."""
    docs = ROOT / "docs" / language
    total: Counter[str] = Counter()
    for page in docs.rglob("*.md"):
        address = page.relative_to(docs).with_suffix("")
        folder = address.parent if address.name == "index" else address
        html = (site / language / folder / "index.html").read_text(encoding="utf-8")
        named = Counter(kind.lower() for kind in _NAMED.findall(page.read_text(encoding="utf-8")))
        shown = Counter({kind: len(re.findall(start, html)) for kind, start in _SHOWN.items()})
        shown["table"] -= shown["chooser"]  # who has no JavaScript chooses from a table
        assert named == shown, page
        total += shown
    assert total.keys() == _SHOWN.keys()


@pytest.mark.build
def test_no_two_tabs_show_the_same_and_what_stands_open_has_an_output(site: Path) -> None:
    """Of code that ran on several machines, a reader sees an output first, and each only once."""
    output = '<span class="snippet__output">'
    sets, faults = 0, []
    for file in sorted(site.glob("??/**/*.html")):
        html = file.read_text(encoding="utf-8")
        for tab_set in re.split(r'<div class="tabbed-set[^>]*><input checked id="__', html)[1:]:
            name = tab_set.partition('"')[0]
            if not name.startswith(("snippet", "cell")):
                continue  # written by hand: an installation for each system, say
            blocks = tab_set.split('<div class="tabbed-block"')[1:]
            blocks = [block.partition(">")[2].partition("</div></div>")[0] for block in blocks]
            sets += 1
            bare = [output not in block for block in blocks]
            if len(set(blocks)) < len(blocks) or (name.startswith("snippet") and bare[0]):
                faults.append(f"{file.relative_to(site).as_posix()}: {name}")
    assert sets > 0
    assert faults == []


@pytest.mark.build
def test_a_page_loads_the_parts_that_it_has_and_no_others(site: Path) -> None:
    """A sheet is loaded where a page has one of the classes that only this sheet is about, and a
    script where a page has the element that it looks for."""
    assets = site / "en" / "assets"
    theme = "".join(file.read_text("utf-8") for file in assets.glob("stylesheets/*.css"))
    shared = theme + (assets / "guide.css").read_text("utf-8")
    about: dict[str, set[str]] = {}
    for sheet in sorted(assets.glob("*.css")):
        classes = set(re.findall(r"\.([a-z][\w-]*)", sheet.read_text("utf-8")))
        about[sheet.name] = {name for name in classes if f".{name}" not in shared}
    sheets = Counter(word for classes in about.values() for word in classes)
    about = {
        name: {word for word in classes if sheets[word] == 1} for name, classes in about.items()
    }
    for script in sorted(assets.glob("*.js")):
        about[script.name] = set(
            re.findall(r"querySelectorAll\(\"\.([\w-]+):not", script.read_text("utf-8"))
        )
    about = {name: classes for name, classes in about.items() if classes}
    assert {"snippet.css", "drawn.css", "lab.css", "allocator.js", "calculator.js"} <= about.keys()
    used: Counter[str] = Counter()
    for name in read_pages(site):
        html = (site / name).read_text(encoding="utf-8")
        found = {word for value in re.findall(r'class="([^"]+)"', html) for word in value.split()}
        loaded = set(re.findall(r'"[^"]*assets/([\w-]+\.(?:css|js))"', html))
        needed = {file for file, classes in about.items() if classes & found}
        assert loaded & about.keys() == needed, name
        used.update(needed)
    assert used.keys() == about.keys()


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_mkdocs_alone_makes_the_same_pages(
    site: Path, small_project: Path, tmp_path: Path, language: str
) -> None:
    """Of one language the whole guide, of the other two pages."""
    project = HERE if language == "zh" else Project(small_project)
    if project is not HERE:
        site = tmp_path / "both"
        build(project, site, SITE_URL, workers=InThisProcess())
    out = tmp_path / "alone"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(out)]
    subprocess.run(
        [*command, "-f", project.configs[language].name],
        cwd=project.root,
        env=os.environ | {"SITE_URL": SITE_URL},
        check=True,
    )

    def contents(folder: Path) -> dict[str, bytes]:
        files = (file for file in folder.rglob("*") if file.is_file())
        return {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in files
            if file.suffix not in (".ipynb", ".gz")
        }

    whole, alone = contents(site / language), contents(out)
    for name, page in read_pages(site).items():  # which the build writes beside what MkDocs does
        if page.refresh is not None:
            whole.pop(name.removeprefix(f"{language}/"), None)
    assert alone.keys() == whole.keys()
    assert [name for name in whole if whole[name] != alone[name]] == []


@pytest.mark.build
def test_no_page_is_a_raw_notebook(site: Path) -> None:
    html = {file: file.read_bytes() for file in site.rglob("*.html")}
    raw = [f for f, text in html.items() if text.lstrip()[:1] == b"{" or b"cell_type" in text]
    assert raw == []

"""The built site: links, anchors, languages, downloads; and what a build does when it fails."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from built_site import SITE_URL, check_site, language_pages, read_pages
from inline_build import InThisProcess
from material.plugins.search.plugin import SearchIndex

from gpu_guide import ROOT
from gpu_guide.pages.translations import mark_in_line
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import MARKER, Workers, _write_root_pages, build
from gpu_guide.site.cache import Memory, Site
from gpu_guide.site.mkdocs import locate
from gpu_guide.site.serve import Versions, rebuild, serve, watched
from gpu_guide.site.small_pages import small
from gpu_guide.site.theme_styles import DATA_SCRIPTS, used_names, without_unused
from gpu_guide.snippets.model import HAN

LANGUAGES = {"zh": "zh-CN", "en": "en"}
XHTML = "{http://www.w3.org/1999/xhtml}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def expected_alternates(path: str, site: Path | None = None) -> dict[str, str]:
    """The addresses of the page `path` (index.html cut off) for each hreflang.

    None of a page of the `site` that is in one language alone.
    """
    if site and any(f"{path}index.html" not in language_pages(site, one) for one in LANGUAGES):
        return {}
    found = {code: f"{SITE_URL}{language}/{path}" for language, code in LANGUAGES.items()}
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
    "table": r"<table(?: data-[^>]*)?>\n<thead><tr>",
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


def test_blanks_are_taken_out_where_they_are_no_text() -> None:
    code = "<pre><code>if x:\n\n    y\n</code></pre>"
    assert small(f"<p>a\n\n   b</p>\n  {code}  \n <p>c  d</p>") == (
        f"<p>a\nb</p>\n{code}\n<p>c  d</p>"
    )
    script = "<script>\n  // one\n  x()\n</script>"
    assert small(script) == script


def test_json_keeps_what_it_says_in_fewer_bytes() -> None:
    element = '<script type="application/json">{}</script>'
    long = element.format(r'{"a": "\u590d\u5236", "b": ["\u003c/script>", null]}')
    assert small(long) == element.format(r'{"a":"复制","b":["\u003c/script>",null]}')


@pytest.mark.parametrize(
    ("sheet", "left"),
    [
        (".a{x:1}.b{x:2}", ".a{x:1}"),
        (".a,.b{x:1}", ".a{x:1}"),
        (".a .b,p .a{x:1}", "p .a{x:1}"),
        (".a:not(.b){x:1}", ".a:not(.b){x:1}"),
        ("[dir=rtl] .a,[dir=ltr] .a{x:1}", "[dir=ltr] .a{x:1}"),
        (".a:not([dir=rtl] .b){x:1}", ".a:not([dir=rtl] .b){x:1}"),
        (":is(.a,.b) p{x:1}", ":is(.a,.b) p{x:1}"),
        (".a:hover>p,.b:hover{x:1}", ".a:hover>p{x:1}"),
        ("@media print{.a{x:1}.b{x:2}}@media screen{.b{x:1}}", "@media print{.a{x:1}}"),
        (
            "@font-face{src:url(a.b)}@keyframes b{0%{x:1}}",
            "@font-face{src:url(a.b)}@keyframes b{0%{x:1}}",
        ),
    ],
)
def test_rules_for_classes_that_nothing_has_are_left_out(sheet: str, left: str) -> None:
    assert without_unused([sheet], {"a"}) == [left]


def test_classes_are_found_whatever_lines_they_stand_on(tmp_path: Path) -> None:
    for name in ("one", "other"):  # of tags that are the same, one is looked at
        page = tmp_path / f"{name}.html"
        page.write_text(f'<p\n class="a\n  b">x "<br><i class="{name}">', encoding="utf-8")
    assert used_names(tmp_path) == {"a", "b", "one", "other"}


def test_a_site_from_right_to_left_keeps_its_rules(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<html dir="rtl"><p class="a">', encoding="utf-8")
    sheet = "[dir=rtl] .a{x:1}"
    assert without_unused([sheet], used_names(tmp_path)) == [sheet]
    page.write_text('<html dir="ltr"><p class="a">', encoding="utf-8")
    assert without_unused([sheet], used_names(tmp_path)) == [""]


def test_a_class_that_a_script_composes_keeps_its_rules(tmp_path: Path) -> None:
    sheet = ".control--next{x:1}"
    script = tmp_path / "bundle.js"
    script.write_text("e(`control--${side}`)", encoding="utf-8")
    assert without_unused([sheet], used_names(tmp_path)) == [sheet]
    script.write_text("e('control')", encoding="utf-8")
    assert without_unused([sheet], used_names(tmp_path)) == [""]


def test_a_property_that_nothing_asks_for_is_left_out(tmp_path: Path) -> None:
    sheet = ":root{--a: 1;--b: 2;--c: 3;--d: 4;--e: 5}p{x:var(--a)}"
    (tmp_path / "index.html").write_text('<p style="x:var(--b)">', encoding="utf-8")
    (tmp_path / "bundle.js").write_text("style.getPropertyValue('--c')", encoding="utf-8")
    left, _ = without_unused([sheet, "q{y:var(--d)}"], used_names(tmp_path))
    assert left.replace(" ", "") == ":root{--a:1;--b:2;--c:3;--d:4;}p{x:var(--a);}"


def test_a_part_that_only_the_themes_script_names_is_kept_where_a_page_has_its_sign(
    tmp_path: Path,
) -> None:
    sheet = ".md-annotation__index{x:1}"
    (tmp_path / "bundle.js").write_text("e('md-annotation__index')", encoding="utf-8")
    page = tmp_path / "index.html"
    page.write_text('<p class="a">', encoding="utf-8")
    assert without_unused([sheet], used_names(tmp_path)) == [""]
    page.write_text('<p class="annotate">', encoding="utf-8")
    assert without_unused([sheet], used_names(tmp_path)) == [sheet]


class Classes(HTMLParser):
    """The classes of a page's elements, read by Python's own parser and not by the build's."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.update(*((value or "").split() for name, value in attrs if name == "class"))


STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`')
"""The texts of a script: a class that a script gives an element stands in one of them."""


PARTS = {
    "md-annotation": "annotate",
    "md-mermaid": "mermaid",
    "md-source": "md-source",
    "md-status": "md-status",
    "md-tag": "md-tags",
    "md-version": "md-version",
    "mermaid": "mermaid",
}
"""How the classes of a part of the theme begin, and the class that only a page with it has: the
theme's script has texts for each part, and adds none of them to other pages."""


def absent_parts(had: set[str]) -> tuple[str, ...]:
    """How the classes of the parts begin that pages with the classes `had` do not have."""
    return tuple(part for part, sign in PARTS.items() if sign not in had)


def classes_had(site: Path) -> set[str]:
    """The classes that elements below `site` have, and what the scripts' texts may add."""
    had: set[str] = set()
    for page in site.rglob("*.html"):
        had |= Classes(page.read_text(encoding="utf-8")).found
    absent = absent_parts(had)
    for script in (path for path in site.rglob("*.js") if path.name not in DATA_SCRIPTS):
        for text in STRINGS.findall(script.read_text(encoding="utf-8")):
            words = re.split(r"[^\w-]+", text)
            had.update(word for word in words if not word.startswith(absent))
    return had


def properties_asked(site: Path, had: set[str]) -> set[str]:
    """The custom properties that a page, a style sheet or a script below `site` asks for; not
    those of parts that pages with the classes `had` do not have."""
    texts = [file for kind in ("html", "css", "js") for file in site.rglob(f"*.{kind}")]
    asks = re.compile(r"""var\((--[\w-]+)|["'](--[\w-]+)["']""")
    found = (asks.findall(file.read_text(encoding="utf-8")) for file in texts)
    absent = tuple(f"--{part}" for part in absent_parts(had))
    names = {name for pairs in found for pair in pairs for name in pair}
    return {name for name in names if not name.startswith(absent)}


def set_properties(sheet: str) -> tuple[set[str], Counter[str]]:
    """The custom properties that a sheet sets, and the selectors of rules that do only that."""
    names, alone = set(), Counter()
    for selectors, body in re.findall(r"([^{};]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", sheet)):
        # In a picture that stands in the sheet as an address, ";" and ":" part nothing.
        declared = re.sub(r'"[^"]*"|url\([^)]*\)', "", body)
        found = re.findall(r"(?:^|;)\s*([\w-]+)\s*:", declared)
        names.update(name for name in found if name.startswith("--"))
        if all(name.startswith("--") for name in found):
            alone.update(one.strip() for one in selectors.split(","))
    return names, alone


def selectors_of(sheet: str) -> Counter[str]:
    """How often each selector stands in a style sheet, without the spaces that say nothing."""
    rules = re.findall(r"(?<=[{}])[^{}@;]+(?=\{)", "}" + re.sub(r"/\*.*?\*/", "", sheet))
    parts = (one for rule in rules for one in re.split(r",(?![^(]*\))", rule))
    return Counter(re.sub(r"\s*([>+~,])\s*", r"\1", one).strip() for one in parts)


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_theme_keeps_every_rule_that_a_page_can_use(site: Path, language: str) -> None:
    """Each selector of the theme is there still, or names a class that nothing here has."""
    had = classes_had(site / language)
    asked = properties_asked(site / language, had)
    assert {"md-search__input", "md-typeset", "highlight", "md-search-result__item"} <= had
    material = Path(importlib.util.find_spec("material").origin).parent / "templates"
    for sheet in sorted((site / language / "assets" / "stylesheets").glob("*.css")):
        before = (material / "assets" / "stylesheets" / sheet.name).read_text(encoding="utf-8")
        selectors, left = selectors_of(before), selectors_of(sheet.read_text(encoding="utf-8"))
        assert len(selectors) > 40 and not left - selectors
        properties, alone = set_properties(before)
        assert (properties - set_properties(sheet.read_text(encoding="utf-8"))[0]) & asked == set()
        gone = selectors - left - alone
        wanted = {
            one: re.findall(r"\.([a-z][\w-]*)", re.sub(r":not\([^)]*\)", "", one)) for one in gone
        }
        missed = [one for one, names in wanted.items() if had.issuperset(names)]
        assert [one for one in missed if "[dir=rtl]" not in one] == []
        if sheet.name.startswith("main"):
            assert len(gone) > 200


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_style_sheets_say_the_same_in_fewer_bytes(site: Path, language: str) -> None:
    sheets = sorted((site / language / "assets").glob("*.css"))
    written = ROOT / "theme" / "assets"
    assert "guide.css" in {sheet.name for sheet in sheets}
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert "/*" not in text and "  " not in text
        assert text.count("{") == (written / sheet.name).read_text(encoding="utf-8").count("{")


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_scripts_are_without_their_comments(site: Path, language: str) -> None:
    """What they do, the tests in a browser see, which use these."""
    built = {script.name: script for script in (site / language / "assets").glob("*.js")}
    written = {script.name: script for script in (ROOT / "theme" / "assets").glob("*.js")}
    made_of_data = {"terms.js", "diagnosis-rules.js", "diagnosis-texts.js"}
    assert built.keys() - written.keys() == {*made_of_data, "search-answers.js"}
    # The worker's own scripts are all in that one.
    assert {name.partition("-")[0] for name in written.keys() - built.keys()} == {"search"}
    for script in written.values():
        text = script.read_text(encoding="utf-8")
        assert "// " in text or "/*" in text
    for name in built.keys() - made_of_data:
        assert not re.search(r"^\s*(?://|/\*)", built[name].read_text("utf-8"), re.MULTILINE)


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


@pytest.mark.build
def test_the_search_index_holds_what_the_theme_itself_would_put_there(site: Path) -> None:
    """Although it is not given the colours of code."""
    settings = {"lang": ["en"], "separator": r"\s", "pipeline": [], "fields": {}}
    theirs = SearchIndex(**settings)
    ours = Site().search_index(theirs)
    html = (
        '<h1 id="a">A <span class="k">b</span></h1>'
        '<p>one <span lang="en">two</span>\n<em> </em></p>'
        "<p><span data-search-exclude>hidden</span> three</p>"
        '<pre><code><span class="k">def</span><span class="w"> </span>f(\n\n<span class="c1">\n'
        "</span>  <span>x</span></code></pre>"
    )
    pages = [html, *(path.read_text("utf-8") for path in site.glob("en/to/**/index.html"))]
    for number, content in enumerate(pages):
        one = SimpleNamespace(meta={}, toc=[], title="A", url=f"{number}/", content=content)
        one.file = SimpleNamespace(src_uri=f"{number}.md")
        for index in (ours, theirs):
            index.add_entry_from_context(one)
        assert one.content == content
    assert len(ours.entries) > len(pages)
    assert [one for one in ours.entries if one not in theirs.entries] == []


@pytest.mark.build
def test_search_index_is_utf8_and_of_one_language(site: Path) -> None:
    raw = {code: (site / code / "search/search_index.json").read_bytes() for code in LANGUAGES}
    entries = {code: json.loads(raw[code])["docs"] for code in LANGUAGES}
    assert len(raw["zh"]) < len(json.dumps(entries["zh"]))
    zh, en = (language_pages(site, code) for code in LANGUAGES)
    alone = {name.removesuffix("index.html") for name in zh.keys() ^ en.keys()}
    places = [
        [e["location"] for e in entries[code] if e["location"].partition("#")[0] not in alone]
        for code in LANGUAGES
    ]
    assert places[0] == places[1]
    assert not [e["title"] for e in entries["en"] if HAN.search(e["title"])]
    assert [e["title"] for e in entries["zh"] if HAN.search(e["title"])]


FAULTY = """<html lang="en"><head><title>T</title><meta name="description" content="D">
<link rel="stylesheet" href="style.css">
<script src="https://cdn.example/x.js"></script>
</head><body><h1 id="one">One</h1><p id="one">twice</p>
<a href="other/">good</a> <a href="other/#section">good</a> <a href="https://pytorch.org/">good</a>
<a href="missing/">broken</a>
<a href="other/#nowhere">broken</a>
<a href="other/#%E6%98%BE%E5%AD%98">broken</a>
<a href="other/#设备">good</a>
<a href="/zh/">out of the site</a>
<img src="missing.png">
<img src="data:image/png;base64,AAAA" alt="">
</body></html>"""
OTHER = """<html lang="en"><head><title>T</title></head>
<body><h1 id="section">One</h1><h1 id="设备">Two</h1></body></html>"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("New", "New", []),
        ("0; url=../new/", "5; url=../new/", ["a refresh '5; url=../new/', not '0; url=…'"]),
        (
            "0; url=../new/",
            "0; url=../old/",
            ["leads on to '../old/', which is no page that stays"],
        ),
        ("0; url=../new/", "0; url=../no/", ["leads on to '../no/', which is no page that stays"]),
        ("gpu/new/", "gpu/", ["leads on to '../new/' and names 'https://guide.example/gpu/'"]),
        ('href="../new/"', 'href="../"', ["no link to '../new/', for who is not led on"]),
        ("<head>", '<head><meta name="robots" content="noindex">', ["leads on and says noindex"]),
        ("<title>New</title>", "", ["no title"]),
    ],
)
def test_a_page_that_leads_on_does_so_at_once_to_one_that_stays(
    tmp_path: Path, old: str, new: str, told: list[str]
) -> None:
    page = f"""<html lang="en"><head><title>New</title>
<link rel="canonical" href="{SITE_URL}new/"><meta http-equiv="refresh" content="0; url=../new/">
</head><body><p><a href="../new/">New</a></p></body></html>"""
    written = """<html lang="en"><head><title>T</title><meta name="description" content="D"></head>
<body><h1>One</h1></body></html>"""
    files = {
        "index.html": written,
        "new/index.html": written,
        "old/index.html": page.replace(old, new),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert check_site(tmp_path, SITE_URL) == [f"old/index.html: {what}" for what in told]


def test_the_checker_finds_planted_faults(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "index.html").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "other" / "index.html").write_text(OTHER, encoding="utf-8")
    css = "@import 'https://fonts.example/a.css'; b { background: url(//img.example/b.png) }"
    (tmp_path / "style.css").write_text(css, encoding="utf-8")
    assert check_site(tmp_path, SITE_URL) == [
        "index.html: id 'one' stands there more than once",
        "index.html:11: an image without alt",
        "index.html:3: 'https://cdn.example/x.js' is fetched from another host",
        "index.html:6: 'missing/' leads to missing/index.html, which is not there",
        "index.html:7: 'other/#nowhere': other/index.html has no id 'nowhere'",
        "index.html:8: 'other/#%E6%98%BE%E5%AD%98': other/index.html has no id '显存'",
        "index.html:10: '/zh/' leads out of the site",
        "index.html:11: 'missing.png' leads to missing.png, which is not there",
        "other/index.html: 2 h1 elements, not one",
        "other/index.html: no description",
        "style.css: 'https://fonts.example/a.css' is fetched from another host",
        "style.css: '//img.example/b.png' is fetched from another host",
    ]


def append(page: Path, text: str) -> int:
    """Add a line to a page; return its number."""
    lines = page.read_text(encoding="utf-8").rstrip("\n").split("\n")
    page.write_text("\n".join([*lines, "", text, ""]), encoding="utf-8")
    return len(lines) + 2


@pytest.mark.build
def test_broken_links_fail_the_build_and_leave_the_old_site(
    small_project: Path, tmp_path: Path
) -> None:
    (small_project / "docs" / "zh" / "extra.md").write_text(
        "# 导航里没有的页面\n", encoding="utf-8"
    )
    line = append(
        small_project / "docs" / "en" / "start.md", "[x](nowhere.md) [y](index.md#no-such-id)"
    )
    out = tmp_path / "out"
    for folder in ("zh", "en"):
        (out / folder).mkdir(parents=True)
    (out / MARKER).touch()
    with pytest.raises(GuideError) as failure:
        build(Project(small_project), out, workers=InThisProcess())
    message = str(failure.value)
    assert f"docs/en/start.md:{line}: Doc file 'start.md' contains a link 'nowhere.md'" in message
    assert "index.md#no-such-id" in message
    assert "extra.md" in message
    assert sorted(path.name for path in out.iterdir()) == [MARKER, "en", "zh"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]


@pytest.mark.build
def test_an_unknown_snippet_fails_the_build(small_project: Path, tmp_path: Path) -> None:
    append(small_project / "docs" / "zh" / "start.md", "```snippet\nno/such_snippet\n```")
    with pytest.raises(GuideError) as failure:
        build(Project(small_project), tmp_path / "out", workers=InThisProcess())
    assert "no/such_snippet" in str(failure.value)
    assert "start.md" in str(failure.value)
    assert "Traceback" not in str(failure.value)


@pytest.mark.build
def test_a_stale_page_says_so_and_only_that_page(small_project: Path, tmp_path: Path) -> None:
    for page in (small_project / "docs").rglob("*.md"):
        if page == small_project / "docs" / "zh" / "start.md":
            text = page.read_text(encoding="utf-8").replace("---\n", "---\ntwin: older\n", 1)
            page.write_text(text, encoding="utf-8")
    build(Project(small_project), tmp_path / "out", workers=InThisProcess())
    noticed = {
        name
        for name in read_pages(tmp_path / "out")
        if 'class="stale-notice"' in (tmp_path / "out" / name).read_text(encoding="utf-8")
    }
    assert noticed == {"zh/start/index.html"}


NEW = """---
title: 只有中文的页面
description: 这一页只有中文，用来看英文站在它的位置上显示什么。
---

# 只有中文的页面

见[开头](start.md)。

## 先看 `device` { #first-look }

正文。
"""


@pytest.mark.build
def test_a_page_in_one_language_fails_nothing_and_the_other_site_says_so(
    small_project: Path, tmp_path: Path
) -> None:
    docs = small_project / "docs"
    for language in LANGUAGES:
        append(docs / language / "start.md", "[a new page](new.md#first-look)")
        append(docs / language / "start.md", "[a new lab](labs/new.ipynb)")
    (docs / "zh/new.md").write_text(NEW, encoding="utf-8")
    (docs / "zh/labs").mkdir()
    for suffix in (".md", ".ipynb"):
        text = (HERE.root / f"docs/zh/labs/transfers{suffix}").read_text(encoding="utf-8")
        text = re.sub(r"twin: .*\n", "", text).replace("transfers", "new")
        text = re.sub(r'((?:title|description)"?: "?)', r"\1只有中文的实验，", text)
        text = re.sub(r"\[([^]\"\n]*)\]\([^)\"\n]*\.(?:md|ipynb)[^)\"\n]*\)", r"\1", text)
        (docs / f"zh/labs/new{suffix}").write_text(text, encoding="utf-8")
    config = small_project / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    nav = "- start.md\n  - new.md\n  - labs/new.ipynb"
    config.write_text(text.replace("- start.md", nav), encoding="utf-8")
    project = Project(small_project)
    assert build(project, tmp_path / "out", SITE_URL, workers=InThisProcess()) == []
    problems = check_site(tmp_path / "out", SITE_URL)
    # But for pages that the theme and the lab lead to, and that two pages do not have.
    assert [one for one in problems if not one.endswith("which is not there")] == []

    pages = read_pages(tmp_path / "out")
    written, notice = pages["zh/new/index.html"], pages["en/new/index.html"]
    assert not written.noindex and written.canonical == f"{SITE_URL}zh/new/"
    assert notice.noindex and not notice.canonical and notice.lang == "en"
    assert written.alternates == notice.alternates == {}
    assert "只有中文的页面" in notice.title and "first-look" in notice.ids
    text = (tmp_path / "out" / "en/new/index.html").read_text(encoding="utf-8")
    (aside,) = re.findall(r'<aside class="stale-notice">.*?</aside>', text, re.DOTALL)
    assert "not written in English yet" in aside and "../../zh/new/" in aside
    switches = [link.target for link in written.links if link.target.endswith("/en/new/")]
    assert switches, "the language switch leads to the notice"
    assert "/new/" not in (tmp_path / "out" / "en/sitemap.xml").read_text(encoding="utf-8")
    assert '"new/' not in (tmp_path / "out" / "en/search/search_index.json").read_text("utf-8")
    assert '"new/' in (tmp_path / "out" / "zh/search/search_index.json").read_text("utf-8")
    assert pages["en/start/index.html"].alternates  # and no other page lost its other half
    assert "stale-notice" not in (tmp_path / "out" / "zh/new/index.html").read_text("utf-8")

    lab, notice = (pages[f"{language}/labs/new/index.html"] for language in ("zh", "en"))
    assert not lab.noindex and notice.noindex and lab.alternates == notice.alternates == {}
    assert "只有中文的实验" in notice.title and notice.lang == "en" and "stopwatch" in notice.ids
    assert (tmp_path / "out" / "zh/labs/new.ipynb").is_file()
    assert not (tmp_path / "out" / "en/labs/new.ipynb").exists()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that goes through in no time: what is tested is which folder it replaces."""

    def build_all(out: Path, *_: object) -> list[str]:
        out.mkdir()
        _write_root_pages(out, HERE, SITE_URL)
        return []

    monkeypatch.setattr("gpu_guide.site.build._build_all", build_all)
    monkeypatch.setattr("gpu_guide.pages.translations.stale", lambda project: {})


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's folders: a project, another bilingual site, a book."""
    for file in (
        "guide/docs/zh/a.md",
        "guide/docs/en/a.md",
        "guide/snippets/a.py",
        "guide/.git/HEAD",
        "other/zh/a.md",
        "other/en/a.md",
        "other/index.html",
        "thesis/thesis.tex",
        "file",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("years of work", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ("guide/docs", "belongs to docs of the project"),
        ("guide/docs/new", "belongs to docs of the project"),
        ("guide/docs/../snippets", "belongs to snippets of the project"),
        ("guide/.git", "belongs to .git of the project"),
        ("guide", "the project lies in it"),
        (".", "the project lies in it"),
        ("other", "holds something other than a built site"),
        ("thesis", "holds something other than a built site"),
        ("file", "holds something other than a built site"),
    ],
)
def test_a_folder_that_no_build_made_is_not_touched(
    home: Path, written: None, out: str, why: str
) -> None:
    before = tree(home)
    with pytest.raises(GuideError, match=rf"{re.escape(why)}.* — choose "):
        build(Project(home / "guide"), home / out)
    assert tree(home) == before


def test_every_folder_of_the_project_is_a_source() -> None:
    """A new one has to be named, or a build could be told to replace it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a clone of the repository")
    folders = {name.partition("/")[0] for name in listed.stdout.split("\0") if "/" in name}
    assert {name for name in folders if not name.startswith(".")} <= HERE.own_folders


@pytest.mark.parametrize("first", ["nothing", "empty", "built"])
def test_a_new_an_empty_and_a_built_folder_are_built_into(
    home: Path, written: None, first: str
) -> None:
    out = home / "guide" / "site"
    if first == "empty":
        out.mkdir()
    if first == "built":
        build(Project(home / "guide"), out)
        (out / "page-that-is-gone.html").touch()
    build(Project(home / "guide"), out)
    assert (out / "index.html").is_file() and not (out / "page-that-is-gone.html").exists()


@pytest.mark.parametrize("url", ["example.org/guide", "ftp://example.org/", "https://e.org/?a"])
def test_a_site_url_that_is_no_folder_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(GuideError, match="not the address of a folder"):
        build(HERE, tmp_path / "out", url)


def test_a_message_without_a_link_is_left_alone(tmp_path: Path) -> None:
    assert locate("something else", tmp_path) == "something else"


@pytest.mark.build
def test_a_failed_rebuild_keeps_the_last_good_version(
    small_project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))
    versions.build()
    good, server = versions.current, SimpleNamespace(root="")
    page = small_project / "docs" / "zh" / "start.md"
    whole = page.read_text(encoding="utf-8")
    append(page, "```snippet\nno/such_snippet\n```")
    rebuild(versions, server)
    assert "no/such_snippet" in capsys.readouterr().err
    assert versions.current == good
    assert (good / "zh" / "start" / "index.html").is_file()

    page.write_text(whole + "\n修好了。\n", encoding="utf-8")
    rebuild(versions, server)
    assert server.root == str(versions.current) != str(good)
    assert "修好了" in (versions.current / "zh/start/index.html").read_text(encoding="utf-8")
    assert good.is_dir()  # the server may still be reading it
    rebuild(versions, server)
    assert good.is_dir()  # nothing had changed, so nothing was built
    page.write_text(whole, encoding="utf-8")
    rebuild(versions, server)
    assert not good.exists()
    assert "没有这个页面".encode() in (versions.error_page(404) or b"")
    versions.close()


@pytest.fixture
def languages_built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages that MkDocs was asked to build, in a build that takes no time."""
    asked: list[str] = []

    def build_some(
        _: Project, out: Path, url: str, *, unchanged: dict[str, Path], **__: object
    ) -> list[str]:
        for language in LANGUAGES:
            (out / language).mkdir(parents=True)
            if language not in unchanged:
                asked.append(language)
        return []

    monkeypatch.setattr("gpu_guide.site.serve.build", build_some)
    return asked


def touch(path: Path, text: str = "\n") -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.build
def test_only_the_language_that_was_touched_is_built_anew(
    small_project: Path, tmp_path: Path, languages_built: list[str]
) -> None:
    (small_project / "gpu_guide" / "labs").mkdir(parents=True)
    (small_project / "gpu_guide" / "labs" / "cells.py").touch()
    mark_in_line(Project(small_project), "start.md")
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))

    def after(path: str, text: str = "\n") -> list[str]:
        touch(small_project / path, text)
        languages_built.clear()
        versions.build()
        return list(languages_built)

    both = ["zh", "en"]
    assert after("docs/en/start.md") == both  # the first build
    assert after("docs/zh/start.md", " \n") == ["zh"]
    assert after("docs/en/start.md", " \n") == ["en"]
    # The other half has to tell its readers that this one has changed, once.
    assert after("docs/zh/start.md", "又一句。\n") == both
    assert after("docs/zh/start.md", "再一句。\n") == ["zh"]
    for shared in ("theme/assets/guide.css", "mkdocs.yml", "data/wheels.yml"):
        assert after(shared) == both, shared
    assert after("gpu_guide/render/cells.py") == both
    assert after("gpu_guide/labs/__pycache__/cells.pyc") == []


@pytest.mark.slow
def test_a_saved_snippet_rebuilds_the_languages_that_show_it_otherwise(
    small_project: Path, tmp_path: Path, languages_built: list[str]
) -> None:
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))
    versions.build()
    (small_project / "snippets" / "t").mkdir(parents=True)
    shown, alone = small_project / "snippets/start/move.py", small_project / "snippets/t/alone.py"
    code = shown.read_text(encoding="utf-8")
    assert code.count("# zh: ") and code.count("# en: ")

    def after(file: Path, text: str) -> list[str]:
        file.write_text(text, encoding="utf-8")
        languages_built.clear()
        versions.build()
        return list(languages_built)

    assert after(shown, code.replace("# zh: ", "# zh: 先", 1)) == ["zh"]
    assert after(shown, code + "\n") == ["zh"]  # back again; a blank line at the end shows nowhere
    assert after(shown, code.replace("# en: ", "# en: First, ", 1)) == ["en"]
    assert after(shown, f"{code}print(1)\n#> 1\n") == ["zh", "en"]
    assert after(shown, "malformed") == ["zh", "en"]  # for the build to say so
    assert after(shown, code) == ["zh", "en"]
    # What no page shows can be downloaded, and no more.
    assert after(alone, code) == []
    download = versions.current / "snippets/t/alone.py"
    assert download.read_text(encoding="utf-8").endswith(code)  # below what it needs


@pytest.mark.slow
def test_a_process_that_builds_is_kept_until_it_may_know_what_is_no_longer_so(
    small_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[object] = []

    def build_none(*_: object, workers: object, **__: object) -> list[str]:
        used.append(workers)
        return []

    monkeypatch.setattr("gpu_guide.site.serve.build", build_none)
    (small_project / "gpu_guide" / "render").mkdir(parents=True)
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))
    versions.build()
    for path in ("docs/en/start.md", "snippets/start/move.py", "docs/zh/start.md"):
        touch(small_project / path, "\nprint(1)\n#> 1\n")
        versions.build()
        assert used[-1] is used[-2], path
    assert len(used) == 4
    for path in ("data/wheels.yml", "theme/main.html", "gpu_guide/render/plot.py", "mkdocs.yml"):
        touch(small_project / path)
        versions.build()
        assert used[-1] is not used[-2], path


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.build
def test_a_process_that_builds_again_makes_what_a_new_one_makes(
    small_project: Path, tmp_path: Path
) -> None:
    """It takes over what it made of pages that are as they were; the others tell of each change."""
    page, snippet = small_project / "docs/zh/index.md", small_project / "snippets/start/move.py"
    with Workers() as workers:
        build(Project(small_project), tmp_path / "first", SITE_URL, workers=workers)
        text = re.sub("^title: ", "title: 改过的", page.read_text(encoding="utf-8"), flags=re.M)
        page.write_text(text, encoding="utf-8")
        append(small_project / "docs/en/start.md", "One sentence more.")
        code = snippet.read_text(encoding="utf-8")
        snippet.write_text(code.replace("# zh: ", "# zh: 改过的注释", 1), encoding="utf-8")
        build(Project(small_project), tmp_path / "second", SITE_URL, workers=workers)
    build(Project(small_project), tmp_path / "new", SITE_URL, workers=InThisProcess())
    first, second = files_of(tmp_path / "first"), files_of(tmp_path / "second")
    assert second == files_of(tmp_path / "new")
    changed = {name for name in second if first.get(name) != second[name]}
    for name, told in {
        "zh/index.html": "改过的注释",
        "zh/start/index.html": "改过的zh index",  # in its menu
        "en/start/index.html": "One sentence more.",
    }.items():
        assert name in changed and told in second[name].decode(), name


def test_what_was_made_of_the_same_is_not_made_again() -> None:
    made: list[str] = []

    def make() -> int:
        made.append("")
        return len(made)

    memory = Memory()
    for page, key, expected in (("a", 1, 1), ("a", 1, 1), ("b", 1, 2), ("a", 2, 3), ("b", 1, 2)):
        assert memory.of(page, key, make) == expected
    memory.forget("b")
    assert memory.of("b", 1, make) == 4


def test_the_packages_below_are_watched_but_not_what_a_build_writes() -> None:
    paths = dict(watched(HERE))
    for package in {file.parent for file in (ROOT / "gpu_guide").rglob("*.py")}:
        assert paths[package] is False, package
    for name in ("docs", "snippets", "labs", "theme", "data", "records"):
        assert paths[ROOT / name] is True, name


@pytest.mark.build
def test_a_language_that_did_not_change_is_taken_over(small_project: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier"
    (earlier / "labs").mkdir(parents=True)
    (earlier / "index.html").write_text("as it was", encoding="utf-8")
    (earlier / "llms.txt").write_text("# 指南\n", encoding="utf-8")
    out = tmp_path / "out"
    taken = {"zh": earlier}
    build(Project(small_project), out, SITE_URL, unchanged=taken, workers=InThisProcess())
    assert (out / "zh" / "index.html").read_text(encoding="utf-8") == "as it was"
    assert (out / "en" / "start" / "index.html").is_file()


def test_a_port_in_use_is_named_before_anything_is_built() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(GuideError, match=f"port {port} of 127.0.0.1 cannot be used"):
            serve(Project(Path("no", "such", "project")), port=port)

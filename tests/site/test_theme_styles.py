"""The theme's style sheets keep what a page can use, and lose what none can."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from built_site import LANGUAGES

from gpu_guide.site.theme_styles import DATA_SCRIPTS, used_names, without_unused


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
        ("@font-face{src:url(a.b)}", "@font-face{src:url(a.b)}"),
        (
            ".a{animation:b 1s}@keyframes b{0%{x:1}}@keyframes c{0%{x:1}to{x:2}}",
            ".a{animation:b 1s}@keyframes b{0%{x:1}}",
        ),
        (".a th[role=c]{x:1}.a [role=a]{x:2}", ".a [role=a]{x:2}"),
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
        # The steps of an animation are none.
        steps = {one for one in selectors if re.fullmatch(r"from|to|[\d.%, ]+", one)}
        gone = selectors - left - alone - Counter({one: selectors[one] for one in steps})
        name = re.compile(r"(?:\.|\[role=)([a-z][\w-]*)")
        wanted = {one: name.findall(re.sub(r":not\([^)]*\)", "", one)) for one in gone}
        missed = [one for one, names in wanted.items() if had.issuperset(names)]
        assert [one for one in missed if "[dir=rtl]" not in one] == []
        if sheet.name.startswith("main"):
            assert len(gone) > 200

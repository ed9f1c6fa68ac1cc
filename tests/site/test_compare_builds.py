"""What differs between two built sites, whatever their themes are like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_guide.site.compare_builds import differences, lost, table

PAGE = """<!doctype html><html><head><title>x</title>
<meta name="description" content="About x">
<link rel="stylesheet" href="../assets/stylesheets/a.css">
<link rel="stylesheet" href="../assets/x.css"></head>
<body><a href="menu/">menu</a><article>
<h1 id="x">X</h1><h2 id="y">Why<a href="#y">&para;</a></h2><p id="here"><a href="../z/">z</a></p>
<pre><code>a = 1
b</code></pre></article><script src="../assets/x.js"></script></body></html>"""


def site(root: Path, page: str, *, index: str = "search.json", key: str = "items") -> Path:
    """A site of one page, which is twice in the search."""
    (root / "x").mkdir(parents=True)
    (root / "x" / "index.html").write_text(page, encoding="utf-8")
    path = root / index
    path.parent.mkdir(exist_ok=True)
    found = [{"location": "x/", "title": "X"}, {"location": "x/#y", "title": "Why"}]
    path.write_text(json.dumps({key: found}), encoding="utf-8")
    return root


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return site(tmp_path / "whole", PAGE, index="search/search_index.json", key="docs")


def test_another_theme_and_another_index_are_no_difference(whole: Path, tmp_path: Path) -> None:
    other = PAGE.replace("../assets/stylesheets/a.css", "../assets/stylesheets/new/b.css")
    other = other.replace(
        "<body>", '<body class="new"><nav id="menu"><a href="more/">more</a></nav>'
    )
    other = other.replace("../z/", "./../z/").replace(
        '<a href="#y">&para;</a>', '<a href="#y"></a>'
    )
    other = other.replace("<article>", '<article><span id="__skip"></span>')
    assert differences(whole, site(tmp_path / "other", other)) == {}


@pytest.mark.parametrize(
    ("old", "new", "kind", "first", "second"),
    [
        ("About x", "About y", "head", ["description About x"], ["description About y"]),
        ('<h2 id="y">', '<h2 id="w">', "sections", ["h2 Why #y"], ["h2 Why #w"]),
        ("<h2", "<h3", "sections", ["h2 Why #y"], []),
        (' id="here"', "", "anchors", ["#here"], []),
        ("../z/", "../w/", "links", ["/z/"], ["/w/"]),
        ("a = 1", "a = 2", "code", ["a = 1 b"], ["a = 2 b"]),
        ("../assets/x.css", "../assets/y.css", "files", ["/assets/x.css"], ["/assets/y.css"]),
        ('<script src="../assets/x.js">', "<script>", "files", ["/assets/x.js"], []),
    ],
)
def test_each_kind_is_told(
    whole: Path, tmp_path: Path, old: str, new: str, kind: str, first: list, second: list
) -> None:
    assert old in PAGE
    found = differences(whole, site(tmp_path / "other", PAGE.replace(old, new)))
    assert found["x/"][kind] == (first, second)
    assert lost(found) == (kind != "head")
    assert f"| x/ | {kind} | − `{first[0]}`" in table(found, "whole", "other")


def test_search_pages_and_files(whole: Path, tmp_path: Path) -> None:
    other = site(tmp_path / "other", PAGE)
    (other / "search.json").write_text('{"items": [{"location": "x/"}]}', encoding="utf-8")
    found = differences(whole, other)
    assert found == {"x/": {"search": (["#y"], [])}} and not lost(found)
    (whole / "x" / "index.md").write_text("# X\n", encoding="utf-8")
    (other / "x" / "index.html").rename(other / "y.html")
    found = differences(whole, other)
    assert found == {
        "x/": {"page": (["page"], [])},
        "y.html": {"page": ([], ["page"])},
        "*": {"other files": (["x/index.md"], [])},
    }
    assert lost(found)

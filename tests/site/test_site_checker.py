"""The checker of built sites finds planted faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_site import SITE_URL, check_site

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

"""What pages tell search engines, messengers and the guide's own makers of themselves."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import matplotlib
import pytest
import yaml
from built_site import SITE_URL, built_site, language_pages
from PIL import Image

from gpu_guide import ROOT
from gpu_guide.data.errors import load_errors
from gpu_guide.project import HERE, Project
from gpu_guide.site import social_cards
from gpu_guide.site.json_ld import MOST_QUESTIONS, published

FORM = ROOT / ".github" / "ISSUE_TEMPLATE" / "wrong-page.yml"
FONT = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf")
"""There wherever the tests run: of what it lacks, it draws a box."""


@pytest.mark.parametrize(
    ("address", "known"),
    [
        ("https://example.org/guide/", True),
        ("https://127.0.0.1.example.org/", True),
        ("http://127.0.0.1:8000/", False),
        ("http://localhost/", False),
    ],
)
def test_an_address_of_this_machine_is_none_that_is_published(address: str, known: bool) -> None:
    assert published(address) == known


def data_of(html: str) -> dict[str, dict]:
    """By type, what the JSON-LD of a page says."""
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    said = json.loads(text)
    assert said["@context"] == "https://schema.org"
    return {one["@type"]: one for one in said["@graph"]}


@pytest.mark.build
@pytest.mark.parametrize("language", HERE.languages)
def test_each_page_is_an_article_with_its_place_and_its_picture(language: str) -> None:
    site = built_site()
    for name, page in language_pages(site, language).items():
        if name.startswith("reference/message/"):
            continue  # its words stand on the page of its group, which has all this
        html = (site / language / name).read_text(encoding="utf-8")
        address = f"{SITE_URL}{language}/{name.removesuffix('index.html')}"
        said = data_of(html)
        assert said["TechArticle"]["url"] == address == page.canonical
        assert said["TechArticle"]["inLanguage"] == {"zh": "zh-CN", "en": "en"}[language]
        found = dict(
            re.findall(r'<meta (?:property|name)="((?:og|twitter):\w+)" content="(.*?)"', html)
        )
        assert unescape(found["og:title"]) == said["TechArticle"]["headline"], name
        assert unescape(found["og:description"]) == page.description and found["og:url"] == address
        for crumb in said.get("BreadcrumbList", {}).get("itemListElement", []):
            path = site / crumb["item"].removeprefix(SITE_URL) / "index.html"
            assert path.is_file() and crumb["name"], crumb
        if social_cards.font_for(language == "zh"):
            assert found["og:image"] == f"{address}card.png", name
            assert (site / language / name).with_name("card.png").is_file()
    crumbs = data_of((site / language / "check/doctor/index.html").read_text("utf-8"))
    places = [one["item"] for one in crumbs["BreadcrumbList"]["itemListElement"]]
    assert places == [f"{SITE_URL}{language}/check/", f"{SITE_URL}{language}/check/doctor/"]


@pytest.mark.build
@pytest.mark.parametrize("language", HERE.languages)
def test_a_page_of_messages_has_its_questions(language: str) -> None:
    """Those that are met most often; the others have a page of their own only."""
    found = [one for one in load_errors(HERE).values() if one.group == "devices"]
    messages = sorted(found, key=lambda one: one.rank)[:MOST_QUESTIONS]
    assert len(messages) < len(found)
    path = built_site() / language / "reference/errors/devices/index.html"
    asked = data_of(path.read_text(encoding="utf-8"))["FAQPage"]["mainEntity"]
    assert {one["name"] for one in asked} == {one.says[0] for one in messages}
    answers = {one["name"]: one["acceptedAnswer"]["text"] for one in asked}
    for message in messages:
        assert message.fix[language] in answers[message.says[0]]


@pytest.mark.build
def test_without_an_address_nothing_is_told_and_with_a_repository_a_report_is_filled_in(
    small_project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(out)]
    surroundings = {key: value for key, value in os.environ.items() if key != "SITE_URL"}
    surroundings["REPOSITORY"] = "https://github.com/o/n"
    config = small_project / "mkdocs.en.yml"
    changes = "---\ntitle: x\ndescription: x.\n---\n\n# x\n\n## 24 November 2026 { #2026-11-24 }\n"
    for language in HERE.languages:
        (small_project / f"docs/{language}/changes.md").write_text(changes, encoding="utf-8")
    subprocess.run([*command, "-f", config], cwd=small_project, env=surroundings, check=True)
    html = (out / "start/index.html").read_text(encoding="utf-8")
    for part in ('rel="canonical"', "og:url", "ld+json", 'hreflang="x-default"'):
        assert part not in html, part
    assert not (out / "sitemap.xml").exists() and not list(out.rglob("card.png"))
    (address,) = re.findall(r'<p class="report-link"><a href="(.*?)"', html)
    parts = urlsplit(unescape(address))
    assert parts.netloc + parts.path == "github.com/o/n/issues/new"
    asked = {key: value for key, (value,) in parse_qs(parts.query).items()}
    assert asked.pop("template") == FORM.name and asked["page"] == "en/start/"
    fields = {one.get("id") for one in yaml.safe_load(FORM.read_text("utf-8"))["body"]}
    assert asked.keys() <= fields
    assert re.search(r"^guide \d.*, torch \d", asked["machine"])
    assert "doctor.py --json" in asked["machine"]


@pytest.mark.build
def test_without_a_repository_no_report_is_asked_for() -> None:
    html = (built_site() / "zh/check/index.html").read_text(encoding="utf-8")
    assert 'class="report-link"' not in html


@pytest.mark.parametrize("title", ["GPU 不可用", "CUDA " * 40, "显" * 90])
def test_a_picture_holds_its_title(title: str) -> None:
    image = social_cards.draw(title, "Guide", str(FONT)).convert("L")
    assert image.size == social_cards.SIZE
    paper = image.getpixel((0, 0))
    edges = [
        image.crop((social_cards.SIZE[0] - 40, 0, *social_cards.SIZE)),
        image.crop((0, 0, 40, 630)),
    ]
    assert all(edge.getextrema() == (paper, paper) for edge in edges)
    assert image.crop((social_cards.MARGIN, 140, 1110, 480)).getextrema()[1] > 240


def test_a_picture_is_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(social_cards, "_FONTS", {True: (str(FONT),), False: ()})
    made = social_cards.Cards(Project(tmp_path), "zh", "指南")
    first, second = tmp_path / "a" / "card.png", tmp_path / "b" / "card.png"
    made.write("题", first)
    monkeypatch.setattr(social_cards, "draw", None)
    made.write("题", second)
    assert second.read_bytes() == first.read_bytes()
    assert Image.open(second).size == social_cards.SIZE
    assert len(list((tmp_path / ".cache" / "cards").iterdir())) == 1
    with pytest.raises(TypeError):
        made.write("另一个", second)


def test_without_a_font_there_are_no_pictures_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(social_cards, "_FONTS", {True: (), False: ()})
    with caplog.at_level("INFO"):
        assert social_cards.Cards(Project(tmp_path), "zh", "指南").font is None
    assert "no font for it is known" in caplog.text
    assert [record.levelname for record in caplog.records] == ["INFO"]  # no warning: it may build

"""Addresses that were public once: they lead somewhere, and what leads nowhere helps its reader."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser

from gpu_guide import ROOT
from gpu_guide.data import addresses
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import _write_redirects, _write_root_pages

SITE = "https://guide.example/gpu/"


def test_every_page_of_today_is_noted_and_every_noted_address_leads_somewhere() -> None:
    assert list(addresses.check(HERE)) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("start:\nstart:\n", "addresses.yml:2: 'start' again, first on line 1"),
        ("- start\n", "addresses.yml:1: not a list of addresses"),
        ("start: [a, b]\n", "addresses.yml:1: start: not one page"),
        ("start: : x\n", "addresses.yml: cannot be read"),
        (None, "addresses.yml: cannot be read"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "addresses.yml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(GuideError) as error:
        addresses.load(path)
    assert told in str(error.value)


def test_a_page_is_noted_once(tmp_path: Path) -> None:
    path = tmp_path / "addresses.yml"
    path.write_text("index:\nold: index\n", encoding="utf-8")
    assert addresses.note(path, "check/new") == 3 == addresses.note(path, "check/new")
    assert addresses.note(path, "index") == 1
    assert addresses.load(path) == {"index": None, "old": "index", "check/new": None}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A guide with a page in both languages, one in Chinese alone, and three that moved."""
    root = tmp_path / "guide"
    files = {
        "mkdocs.yml": "docs_dir: docs/zh\n",
        "mkdocs.en.yml": "docs_dir: docs/en\n",
        "docs/zh/index.md": "# 首页\n",
        "docs/en/index.md": "# Home\n",
        "docs/zh/memory/leaks.md": "# 泄漏\n",
        "docs/en/memory/leaks.md": "# Leaks\n",
        "docs/zh/alone.md": "# 只有中文\n",
        "data/addresses.yml": "index:\nmemory/leaks:\nalone:\nleaks: memory/leaks\n"
        "check/old: alone\nmemory/index: index\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "theme" / "root", root / "theme" / "root")
    return Project(root)


def test_a_moved_address_leads_on_in_both_languages(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "site"
    _write_redirects(out, project, SITE)
    made = {path.relative_to(out).as_posix(): path for path in out.rglob("*.html")}
    assert sorted(made) == [
        f"{language}/{name}/index.html"
        for language in ("en", "zh")
        for name in ("check/old", "leaks", "memory")
    ]
    text = made["en/leaks/index.html"].read_text(encoding="utf-8")
    assert 'url=../memory/leaks/"' in text and "<title>Leaks</title>" in text
    assert f'<link rel="canonical" href="{SITE}en/memory/leaks/">' in text
    assert 'url=../../alone/"' in made["en/check/old/index.html"].read_text(encoding="utf-8")
    assert 'url=../"' in made["zh/memory/index.html"].read_text(encoding="utf-8")


@pytest.fixture
def missing(project: Project, tmp_path: Path) -> Iterator[str]:
    """A host such as GitHub Pages, which has 404.html for every address without a file."""
    out = tmp_path / "root"
    out.mkdir()
    _write_root_pages(out, project, SITE)
    body = (out / "404.html").read_bytes()

    class Nothing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Nothing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/gpu/"
        server.shutdown()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "locale", "title", "near"),
    [
        ("en/memory/leek/", "zh-CN", "There is no such page", {"en/memory/leaks/": "Leaks"}),
        ("zh/leaks.html", "en-US", "没有这个页面", {"zh/memory/leaks/": "泄漏"}),
        ("memory/leaks", "zh-TW", "没有这个页面", {"zh/memory/leaks/": "泄漏"}),
        ("memory/leaks", "de-DE", "There is no such page", {"en/memory/leaks/": "Leaks"}),
        ("en/quite/something-else/", "en-US", "There is no such page", {}),
        ("../elsewhere/zh/leaks/", "en-US", "没有这个页面", {"zh/memory/leaks/": "泄漏"}),
    ],
)
def test_who_finds_no_page_is_told_so_in_their_language_and_shown_the_nearest(
    browser: Browser, missing: str, path: str, locale: str, title: str, near: dict[str, str]
) -> None:
    with browser.new_context(locale=locale) as context:
        page = context.new_page()
        page.goto(missing + path)
        assert page.title() == title
        assert page.locator("h1:visible").all_inner_texts() == [title]
        links = page.locator(".near:visible a")
        shown = links.evaluate_all("all => Object.fromEntries(all.map(a => [a.href, a.innerText]))")
        root = urljoin(missing, path.partition("zh/")[0]) if ".." in path else missing
        assert shown == {root + address: text for address, text in near.items()}
        homes = page.locator(".choice a").evaluate_all("all => all.map(a => a.href)")
        assert homes == [f"{root}zh/", f"{root}en/"]

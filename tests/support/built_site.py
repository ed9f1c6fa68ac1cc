"""The site as the tests build it, and a checker that reads built HTML without a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

from filelock import FileLock

from gpu_guide import ROOT
from gpu_guide.project import HERE

LANGUAGES = HERE.languages

SITE_URL = "https://guide.example/gpu/"
"""Where the tests pretend the site is published: below a folder, which finds absolute links."""

SHARED = "GPU_GUIDE_TESTS"
"""The variable that names a folder to all processes of a test run: conftest.py makes it."""

MAX_PAGE_BYTES = 150 * 1024
_FETCHING = {"link", "script", "img", "iframe", "source", "video", "audio", "embed", "object"}
_NOT_FETCHED = {"canonical", "alternate", "prev", "next"}
_AT_ONCE = re.compile(r"0; ?url=(\S+)", re.IGNORECASE)
_CSS_URL = re.compile(r"""(?:@import\s+|url\()\s*["']?([^"')\s]+)""")


@cache
def built_site() -> Path:
    """The whole site, built once for all processes of a test run, with every warning an error."""
    folder = Path(os.environ[SHARED])
    with FileLock(folder / "site.lock"):
        if not (folder / "site").exists():
            _build(folder / "site")
    return folder / "site"


def _build(out: Path) -> None:
    """In a process without torch, which neither the build needs nor the server."""
    code = (
        "from pathlib import Path; import gpu_guide.site.serve\n"
        "from gpu_guide.project import HERE\n"
        "from gpu_guide.site.build import build, for_one_build\n"
        "if __name__ == '__main__':\n"
        "    with for_one_build(HERE) as workers:\n"
        f"        build(HERE, Path({str(out)!r}), {SITE_URL!r}, workers=workers)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "torch.py").write_text("raise ImportError('torch was imported')\n", "utf-8")
        Path(folder, "run.py").write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(Path(folder, "run.py"))],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([folder, str(ROOT)])},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr


@dataclass(frozen=True)
class Link:
    """One reference of a page: the element and attribute it stands in, its text, its line."""

    tag: str
    target: str
    line: int
    rel: str = ""

    @property
    def fetched(self) -> bool:
        """Whether a browser asks for it by itself, without a click."""
        return self.tag in _FETCHING and not set(self.rel.split()) & _NOT_FETCHED


@dataclass
class Page(HTMLParser):
    """What one HTML file holds, as far as the checks need it."""

    name: str
    ids: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    alternates: dict[str, str] = field(default_factory=dict)
    canonical: str = ""
    lang: str = ""
    title: str = ""
    description: str = ""
    headings: int = 0
    nameless_images: list[int] = field(default_factory=list)
    styles: str = ""
    noindex: bool = False
    refresh: str | None = None
    """Seconds and address of a page that leads on to another, as `0; url=../other/`."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self._inside = tag if tag in ("title", "style") else self._inside
        if "id" in found:
            self.ids.append(found["id"])
        self.styles += found.get("style", "") + "\n"
        if tag == "html":
            self.lang = found.get("lang", "")
        elif tag == "h1":
            self.headings += 1
        elif tag == "meta" and found.get("name") == "description":
            self.description = found.get("content", "")
        elif tag == "meta" and found.get("name") == "robots":
            self.noindex = "noindex" in found.get("content", "")
        elif tag == "meta" and found.get("http-equiv", "").lower() == "refresh":
            self.refresh = found.get("content", "")
        elif tag == "img" and "alt" not in found:
            self.nameless_images.append(self.getpos()[0])
        self._take_links(tag, found)

    def _take_links(self, tag: str, found: dict[str, str]) -> None:
        rel = found.get("rel", "")
        if tag == "link" and rel.strip() == "alternate" and "hreflang" in found:
            self.alternates[found["hreflang"]] = found.get("href", "")
        if tag == "link" and rel == "canonical":
            self.canonical = found.get("href", "")
        for attribute in ("href", "src", "data"):
            if attribute in found and tag != "base":
                self.links.append(Link(tag, found[attribute], self.getpos()[0], rel))
        for candidate in filter(None, found.get("srcset", "").split(",")):
            self.links.append(Link(tag, candidate.split()[0], self.getpos()[0], rel))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "title":
            self.title += data
        elif self._inside == "style":
            self.styles += data


@cache
def read_pages(site: Path) -> dict[str, Page]:
    """Every HTML file below `site`, by its path from there, with slashes."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        name = file.relative_to(site).as_posix()
        pages[name] = Page(name)
        pages[name].feed(file.read_text(encoding="utf-8"))
    return pages


def check_site(site: Path, site_url: str) -> list[str]:
    """What is wrong with a built site, one line each: file, line where there is one, and what.

    Looks at links and anchors (absolute links below `site_url` are the site's own), duplicate ids,
    titles, descriptions, h1, images without alternative text, files from foreign hosts, weight,
    and where a page leads that does nothing else.
    """
    pages = read_pages(site)
    problems = []
    for page in pages.values():
        problems += _about_page(page)
        if page.refresh is not None:
            problems += _about_redirect(page, pages, site_url)
        for link in page.links:
            if problem := _about_link(link, page, pages, site, site_url):
                problems.append(f"{page.name}:{link.line}: {problem}")
        problems += _foreign_css(page.styles, page.name)
        size = (site / page.name).stat().st_size
        if size > MAX_PAGE_BYTES:
            problems.append(f"{page.name}: {size // 1024} KB of HTML")
    for sheet in sorted(site.rglob("*.css")):
        problems += _foreign_css(
            sheet.read_text(encoding="utf-8"), sheet.relative_to(site).as_posix()
        )
    return problems


def _about_page(page: Page) -> Iterator[str]:
    for duplicate in sorted({name for name in page.ids if page.ids.count(name) > 1}):
        yield f"{page.name}: id {duplicate!r} stands there more than once"
    for line in page.nameless_images:
        yield f"{page.name}:{line}: an image without alt"
    redirects = page.refresh is not None  # neither readers nor search engines are shown it
    if page.headings != 1 and not redirects:
        yield f"{page.name}: {page.headings} h1 elements, not one"
    for part in ("title", "lang") if redirects else ("title", "description", "lang"):
        if not getattr(page, part).strip():
            yield f"{page.name}: no {part}"


def _about_redirect(page: Page, pages: dict[str, Page], site_url: str) -> Iterator[str]:
    """What is wrong with a page that leads on to another.

    It does so at once, because a screen reader would begin to read what then goes away; to a page
    that stays; and it says by `canonical` which one that is. `noindex` is not for it: Google would
    then forget the address in place of following it (github.com/mkdocs/mkdocs-redirects/issues/65).
    """
    match = _AT_ONCE.fullmatch(page.refresh or "")
    here = urljoin(site_url, page.name)
    target = urljoin(here, match[1]) if match else ""
    links = {urljoin(here, link.target) for link in page.links if link.tag == "a"}
    there = pages.get(f"{target.removeprefix(site_url)}index.html")
    if match is None:
        yield f"{page.name}: a refresh {page.refresh!r}, not '0; url=…'"
    elif there is None or there.refresh is not None:
        yield f"{page.name}: leads on to {match[1]!r}, which is no page that stays"
    elif target != page.canonical:
        yield f"{page.name}: leads on to {match[1]!r} and names {page.canonical!r}"
    elif target not in links:
        yield f"{page.name}: no link to {match[1]!r}, for who is not led on"
    if page.noindex:
        yield f"{page.name}: leads on and says noindex"


def _about_link(
    link: Link, page: Page, pages: dict[str, Page], site: Path, site_url: str
) -> str | None:
    """What is wrong with the link, or None."""
    address = urljoin(urljoin(site_url, page.name), link.target.strip())
    if not address.startswith(site_url):
        own_host = urlsplit(address).netloc == urlsplit(site_url).netloc
        if own_host:
            return f"{link.target!r} leads out of the site"
        foreign = link.fetched and urlsplit(address).scheme != "data"
        return f"{link.target!r} is fetched from another host" if foreign else None
    path, fragment = unquote(urlsplit(address).path), unquote(urlsplit(address).fragment)
    name = path.removeprefix(urlsplit(site_url).path)
    if not name or name.endswith("/"):
        name += "index.html"
    if not (site / name).is_file():
        return f"{link.target!r} leads to {name}, which is not there"
    if fragment and name in pages and fragment not in pages[name].ids:
        return f"{link.target!r}: {name} has no id {fragment!r}"
    return None


def _foreign_css(css: str, name: str) -> Iterator[str]:
    for target in _CSS_URL.findall(css):
        if urlsplit(target).netloc:
            yield f"{name}: {target!r} is fetched from another host"


@cache
def language_pages(site: Path, language: str) -> dict[str, Page]:
    """The pages of one language, by their path inside it, without its 404 page and redirects."""
    return {
        str(PurePosixPath(name).relative_to(language)): page
        for name, page in read_pages(site).items()
        if name.startswith(f"{language}/") and not page.noindex and page.refresh is None
    }


def shown_pages(site: Path, language: str) -> list[str]:
    """The files of all pages, but of the messages' own, which fill one shell, only the shortest
    and the longest."""
    names = [*language_pages(site, language)]
    own = [name for name in names if name.startswith("reference/message/")]
    own.sort(key=lambda name: (site / language / name).stat().st_size)
    return [name for name in names if name not in own[1:-1]]


def page_paths(site: Path) -> list[str]:
    """Every page that is opened, as the end of an address."""
    found = [
        f"{language}/{name.removesuffix('index.html')}"
        for language in LANGUAGES
        for name in shown_pages(site, language)
    ]
    return [*found, "zh/404.html", "en/404.html", "404.html", "?choose"]

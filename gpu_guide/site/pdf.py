"""A PDF of each section and language: its pages one behind the other, printed by a browser.

How a page looks on paper is in the style sheets, below `@media print`, and is the same for a reader
who prints a page; the template section.html has what only a whole section needs. This module puts
the pages of the built site together: ids get the page's name in front, links between pages of the
section lead to places in the PDF, and other links to the site's address.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project, about
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words
from gpu_guide.site.build import MARKER, build
from gpu_guide.site.chromium import launched
from gpu_guide.site.sections import Section, sections
from gpu_guide.site.version import edition

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_ARTICLE = re.compile(r"<article[^>]*>(.*)</article>", re.DOTALL)
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)">')
_NAMED = re.compile(r'<h1[^>]*>(.*?)(?:<a class="headerlink".*?)?</h1>', re.DOTALL)
_TAG = re.compile(r"""<[a-zA-Z](?:[^>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(r'(?P<space>\s)(?P<name>[a-z-]+)="(?P<value>[^"]*)"')
_OF_IDS = {"id", "for", "name", "aria-labelledby", "aria-describedby", "aria-controls"}
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_FONTS = "system-ui,'PingFang SC','Microsoft YaHei','Noto Sans SC','Noto Sans CJK SC',sans-serif"
_RADICALS = str.maketrans(
    "⺒⺓⺠⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻰⻱",
    "巳幺民见角贝车長长门青韦页风飞食马骨鬼鱼鸟卤麦黄黾齐齿龙龜",
)
"""Radicals that a font draws as the character, besides those that Unicode itself equates."""
_MAPPED = re.compile(r"^(<[0-9A-F]+> )(?:(<[0-9A-F]+>) )?<([0-9A-F]{4})>$", re.MULTILINE)
"""A line of a table of characters in a PDF: a glyph, or the first and the last of a range, and the
character of the first."""
MARGIN = {"top": "20mm", "bottom": "18mm", "left": "17mm", "right": "17mm"}


def pdf(
    project: Project,
    out: Path,
    site: Path | None = None,
    names: Sequence[str] = (),
    languages: Sequence[str] = (),
) -> list[Path]:
    """Write `out/memory-zh.pdf` and so on, of the sections `names` or of all; return them.

    They are made from the built `site`, or else from a new build. Raises GuideError: for an unknown
    section, where there is no browser, and where the machine has no Chinese font.
    """
    languages = languages or project.languages
    chosen = {language: _chosen(project, language, names) for language in languages}
    if site is not None and not (site / MARKER).is_file():
        remedy = "name the folder that `make build` wrote, or leave --site away"
        raise fault(site, None, f"is no built site: there is no {MARKER} in it", remedy)
    if any(about(language).han for language in languages):
        _check_fonts()
    out.mkdir(parents=True, exist_ok=True)
    written = []
    with launched() as browser, tempfile.TemporaryDirectory() as scratch:
        if site is None:
            site = Path(scratch, "site")
            build(project, site)
        for language in languages:
            for section in chosen[language]:
                path = out / f"{section.name}-{language}.pdf"
                _print(browser, project, site / language, language, section, path)
                written.append(path)
    return written


def _chosen(project: Project, language: str, names: Sequence[str]) -> list[Section]:
    known = {section.name: section for section in sections(project, language)}
    for name in names:
        if name not in known:
            remedy = did_you_mean(name, known)
            raise fault(project.configs[language], None, f"no section {name!r} in nav", remedy)
    return [known[name] for name in names or known]


def _check_fonts() -> None:
    """Raise GuideError on a Linux machine that would print a box for each Chinese character."""
    if not sys.platform.startswith("linux") or not (program := shutil.which("fc-list")):
        return
    found = subprocess.run([program, ":lang=zh-cn"], capture_output=True, check=False)
    if not found.returncode and not found.stdout.strip():
        remedy = "install one, such as Debian's fonts-noto-cjk"
        raise fault(None, None, "This machine has no font for Chinese", remedy)


def _print(
    browser: Browser, project: Project, site: Path, language: str, section: Section, to: Path
) -> None:
    # Answered as if it lay beside the pages, so that pictures and style sheets are found. No file
    # is written there: others may read or serve the site meanwhile.
    address = (site / "print.html").as_uri()
    html = whole(project, site, language, section)
    page = browser.new_page()
    page.route(address, lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(address)
    top, bottom = _edges(Words(language)("pdf_guide"), section.title)
    page.pdf(
        path=to,
        format="A4",
        margin=MARGIN,
        print_background=True,
        tagged=True,
        outline=True,
        display_header_footer=True,
        header_template=top,
        footer_template=bottom,
    )
    page.close()
    _name_characters(to)


def _name_characters(path: Path) -> None:
    """Have the PDF say 文 where the browser wrote ⽂, the radical, which looks the same: a reader
    who searches for the character, or copies it, would have another one."""
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=path)
    for found in writer._objects:
        if isinstance(found, dict) and "/ToUnicode" in found:
            table = found["/ToUnicode"].get_object()
            text = table.get_data().decode("latin-1")
            if (better := _MAPPED.sub(_characters, text)) != text:
                table.set_data(better.encode("latin-1"))
    writer.write(path)


def _characters(line: re.Match[str]) -> str:
    """The line with characters in place of radicals."""
    first, last, code = line[1], line[2], int(line[3], 16)
    count = int(last[1:-1], 16) - int(first[1:-2], 16) + 1 if last else 1
    before = [chr(code + more) for more in range(count)]
    after = [_character(one) for one in before]
    if after == before:
        return line[0]
    named = " ".join(f"<{ord(one):04X}>" for one in after)
    return f"{first}{last} [{named}]" if last else f"{first}{named}"


def _character(one: str) -> str:
    if "\u2e80" <= one <= "\u2fdf":
        return unicodedata.normalize("NFKC", one).translate(_RADICALS)
    return one


def _edges(guide: str, title: str) -> tuple[str, str]:
    """The header and the footer of each sheet."""
    style = f"width:100%;padding:0 17mm;font:8px {_FONTS};color:#555;display:flex"
    top = f'<div style="{style};justify-content:space-between"><span>{escape(guide)}</span>'
    top += f"<span>{escape(title)}</span></div>"
    numbers = '<span class="pageNumber"></span> / <span class="totalPages"></span>'
    return top, f'<div style="{style};justify-content:center"><span>{numbers}</span></div>'


def whole(project: Project, site: Path, language: str, section: Section) -> str:
    """The pages of the section as one HTML page that lies in `site`, the folder of the language."""
    htmls = {url: (site / url / "index.html").read_text(encoding="utf-8") for url in section.pages}
    sheets = dict.fromkeys(
        _from(site, url, sheet) for url, html in htmls.items() for sheet in _SHEET.findall(html)
    )
    first = _CANONICAL.search(htmls[section.pages[0]])
    address = first[1].removesuffix(section.pages[0]) if first else ""
    say, here = Words(language), edition(project)
    pages = [(_prefix(url), *_page(html, url, section, address)) for url, html in htmls.items()]
    return fill(
        "section.html",
        say=say,
        title=section.title,
        sheets=list(sheets),
        edition=say("pdf_edition", version=here.version, date=here.date),
        address=address + section.pages[0],
        site=address,
        pages=pages,
    )


def _page(html: str, url: str, section: Section, address: str) -> Iterator[str]:
    """The title of a page, as text, and its article."""
    article = _SCRIPT.sub("", _ARTICLE.search(html)[1])
    named = _NAMED.search(article)
    yield unescape(re.sub(r"<[^>]+>", "", named[1])).strip() if named else url
    yield _TAG.sub(lambda tag: _moved(tag[0], url, section, address), article)


def _prefix(url: str) -> str:
    return url.strip("/").replace("/", ".") or "home"


def _moved(tag: str, url: str, section: Section, address: str) -> str:
    """A tag of the page `url` with ids that only this page has, and links as the PDF needs them."""
    prefix = _prefix(url)

    def attribute(match: re.Match[str]) -> str:
        name, value = match["name"], match["value"]
        if name in _OF_IDS:
            value = " ".join(f"{prefix}--{one}" for one in value.split())
        elif name == "href" and tag.startswith("<a"):
            value = _target(value, url, section, address)
        elif name in ("src", "href", "data") and not value.startswith("#"):
            value = value if _ELSEWHERE.match(value) else _joined(url, value)
        elif value.startswith("#") and name == "href":
            value = f"#{prefix}--{value[1:]}"
        value = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}--\1)", value)
        return f'{match["space"]}{name}="{value}"'

    return _ATTRIBUTE.sub(attribute, tag)


def _target(link: str, url: str, section: Section, address: str) -> str:
    """Where a link of the page `url` leads in the PDF."""
    if _ELSEWHERE.match(link):
        return link
    path, _, place = link.partition("#")
    there = _joined(url, path) if path else url
    if there in section.pages:
        return f"#{_prefix(there)}" + (f"--{place}" if place else "")
    return address + there + (f"#{place}" if place else "")


def _joined(url: str, link: str) -> str:
    """The address below the language's folder that `link` has on the page `url`; "" of the home
    page."""
    joined = os.path.normpath(f"{url}/{unquote(link)}").replace(os.sep, "/")
    if joined == ".":
        return ""
    return f"{joined}/" if link.endswith(("/", ".")) else joined


def _from(site: Path, url: str, link: str) -> str:
    return os.path.relpath(os.path.normpath(site / url / link), site).replace(os.sep, "/")

"""The built site as a zip that is read from a folder, without a server and without a network.

Three things differ for a page that comes from a file: the address of a folder shows a list of
files and not its index.html; a script may read no other file; and no worker may be started from
one. So links are rewritten, and the search index and the search worker become scripts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.render.words import Words
from gpu_guide.site.build import MARKER, build
from gpu_guide.site.search import ANSWERS
from gpu_guide.site.version import edition

NAME = "pytorch-gpu-guide-offline"
"""Of the zip, and of the one folder in it."""
README = "README.txt"
_FOR_SERVERS = ("404.html", "sitemap.xml", "robots.txt", ".nojekyll", MARKER)
"""Files that only a server or a search engine reads."""
_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can say. The date of the build would make each zip another one."""
_LINK = re.compile(r"""(?P<before>\s(?:href|src)=")(?P<link>[^"]*)(?P<after>")""")
_LEADS_ON = re.compile(
    r"""(?P<before>content="0; url=|location\.replace\(")(?P<link>[^"]*)(?P<after>")"""
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|$", re.IGNORECASE)
_BUNDLE = re.compile(r'(<script defer src="[^"]*)assets/javascripts/bundle\.')
_SEARCHER = (ANSWERS, "search-worker.js")
"""What the search worker consists of: search-worker.js, and before it what that would load."""


def offline(project: Project, out: Path, site: Path | None = None) -> int:
    """Write the zip to `out`, from the built `site` or else from a new build; return its bytes.

    The same site gives the same bytes. Raises GuideError if `site` is no built site.
    """
    if out.suffix != ".zip":
        raise fault(out, None, "is no name of a zip", f"write it like {NAME}.zip")
    if site is not None and not (site / MARKER).is_file():
        remedy = "name the folder that `make build` wrote, or leave --site away"
        raise fault(site, None, f"is no built site: there is no {MARKER} in it", remedy)
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, NAME)
        if site is None:
            build(project, copy)
        else:
            shutil.copytree(site, copy, ignore=shutil.ignore_patterns(f"{NAME}*.zip"))
        unserved(copy, project)
        out.parent.mkdir(parents=True, exist_ok=True)
        pack(copy, out)
    return out.stat().st_size


def unserved(site: Path, project: Project) -> None:
    """Change the built `site` into one that works from files, with a README."""
    for name in _FOR_SERVERS:
        for folder in (site, *(site / language for language in project.languages)):
            (folder / name).unlink(missing_ok=True)
    for page in sorted(site.rglob("*.html")):
        _rewrite(page, lambda html, page=page: _with_files(html, page, site))
    for language in project.languages:
        _make_scripts(site / language)
    (site / README).write_text(_readme(project), encoding="utf-8", newline="\r\n")


def _rewrite(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(change(text), encoding="utf-8", newline="\n")


def _with_files(html: str, page: Path, site: Path) -> str:
    """The page with links to files where there were links to folders, and with offline.js."""

    def file_of(match: re.Match[str]) -> str:
        link = match["link"]
        if _ELSEWHERE.match(link):
            return match[0]
        path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", link).groups()
        target = Path(os.path.normpath(page.parent / unquote(path)))
        if not target.is_relative_to(site) or not target.is_dir():
            return match[0]
        path = f"{path.rstrip('/')}/index.html" if path else path
        return f"{match['before']}{path}{mark}{rest}{match['after']}"

    html = _LEADS_ON.sub(file_of, _LINK.sub(file_of, html))
    return _BUNDLE.sub(r'\1assets/offline.js"></script>\g<0>', html, count=1)


def _make_scripts(site: Path) -> None:
    """Make scripts of the search index and the search worker of one language's site."""
    index = site / "search" / "search_index.json"
    content = index.read_text(encoding="utf-8")
    index.unlink()
    # The name under which the theme looks for it on pages that come from files.
    index.with_suffix(".js").write_text(f"var __index = {content}\n", encoding="utf-8")
    assets = site / "assets"
    parts = [(assets / name).read_text(encoding="utf-8") for name in _SEARCHER]
    worker = json.dumps("\n".join(parts), ensure_ascii=False)
    before = f"globalThis.guideSearchWorker = {worker};\n"
    _rewrite(assets / "offline.js", lambda script: before + script)


def _readme(project: Project) -> str:
    here = edition(project)
    parts = []
    for language in project.languages:
        say = Words(language)
        lines = [say("offline_title", version=here.version, date=here.date), ""]
        lines += [say("offline_how"), "", say("offline_what"), "", say("offline_licence")]
        parts.append("\n".join(lines))
    return "\n\n\n".join(parts) + "\n"


def pack(folder: Path, out: Path) -> None:
    """Write `folder` as a zip in which its files are sorted and have no dates of their own."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(folder.rglob("*"), key=lambda one: one.relative_to(folder).as_posix()):
            if not path.is_file():
                continue
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # or the zip would tell which system made it
            entry.external_attr = 0o100644 << 16
            packed.writestr(entry, path.read_bytes())

"""The edition of the guide that a site is, for its footer, and the feed of changes."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from gpu_guide.project import Project

CHANGES = "changes.md"
"""The page that lists what changed, a heading a day: `## … { #2026-11-22 }`."""
_DAY = re.compile(r"^## (?P<title>.+?) \{ #(?P<date>\d{4}-\d\d-\d\d) \}$", re.MULTILINE)
_TITLE = re.compile(r"^# (?P<title>.+)$", re.MULTILINE)
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Edition:
    """A version, and the day of its last change; "" where it is not known."""

    version: str
    date: str


def edition(project: Project) -> Edition:
    """The version of pyproject.toml and the date of the last commit."""
    settings = project.root / "pyproject.toml"
    text = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    version = tomllib.loads(text).get("project", {}).get("version", "")
    command = ["git", "-C", str(project.root), "log", "-1", "--format=%cs", "--", "."]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        date = run.stdout.strip()
    except OSError:  # there is no Git
        date = ""
    return Edition(version, date)


def feed(project: Project, language: str, site_root: str) -> str | None:
    """An Atom feed of the page of changes; None where the language has no such page."""
    page = project.docs / language / CHANGES
    if not page.is_file():
        return None
    text = page.read_text(encoding="utf-8")
    address = f"{site_root}{language}/{CHANGES.removesuffix('.md')}/"
    days = list(_days(text))
    entries = "".join(
        f"  <entry>\n    <title>{escape(title)}</title>\n    <id>{address}#{date}</id>\n"
        f'    <link href="{address}#{date}"/>\n    <updated>{date}T00:00:00Z</updated>\n'
        f'    <content type="text">{escape(said)}</content>\n  </entry>\n'
        for date, title, said in days
    )
    newest = f"  <updated>{days[0][0]}T00:00:00Z</updated>\n" if days else ""
    top = _TITLE.search(text)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">\n'
        f"  <title>{escape(top['title'] if top else '')}</title>\n  <id>{address}</id>\n"
        f'  <link href="{address}"/>\n'
        f'  <link rel="self" href="{site_root}{language}/changes.xml"/>\n{newest}'
        "  <author><name>The PyTorch GPU Guide authors</name></author>\n"
        f"{entries}</feed>\n"
    )


def _days(text: str) -> Iterator[tuple[str, str, str]]:
    """Date, title and plain text of each day, as the page has them: newest first."""
    found = list(_DAY.finditer(text))
    for day, after in zip(found, [*found[1:], None], strict=True):
        said = text[day.end() : after.start() if after else len(text)].strip()
        yield day["date"], day["title"], _LINK.sub(r"\g<text>", said).replace("`", "")

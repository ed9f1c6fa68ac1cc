"""Index of snippets: the page and the section that show each."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import relpath

from gpu_guide.pages.page import Pages, load_pages
from gpu_guide.project import Project


def first_uses(project: Project) -> dict[str, dict[str, str]]:
    """By language and snippet, the section that shows it first: `check/index.md#memory`."""
    return _of(load_pages(project)[0])


def linked(snippet: str, uses: Mapping[str, str], folder: str) -> str:
    """The snippet's name as Markdown, linked from a page in `folder` to where it is shown."""
    if snippet not in uses:
        return f"`{snippet}`"
    page, mark, section = uses[snippet].partition("#")
    return f"[`{snippet}`]({relpath(page, folder)}{mark}{section})"


def _of(pages: Pages) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {language: {} for language in pages}
    for language, by_address in pages.items():
        for page in by_address.values():
            for use in page.snippets:
                above = [one for one in page.headings if one.line < use.line and one.id]
                section = f"#{above[-1].id}" if above and above[-1].level > 1 else ""
                found[language].setdefault(use.name, page.named + section)
    return found

"""JSON-LD for search engines, in the words of schema.org: that a page is an article, its place in
the navigation, and on the pages of messages, what each message means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from gpu_guide.data.errors import load_errors
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded

_MESSAGES = "reference/errors/"
MOST_QUESTIONS = 10
"""Of a page's messages, those that are met most often: each also has its own page, and this one
repeats its text."""
LOCAL = re.compile(r"https?://(?:127\.0\.0\.1|localhost)(?::\d+)?/")
"""Addresses that show that nobody has set the site's address."""


def published(site_root: str) -> bool:
    """Whether the address of the site is known: without it, search engines get none."""
    return not LOCAL.match(site_root)


def structured(page: Page, config: MkDocsConfig, project: Project, language: str) -> str:
    """The JSON-LD of a page, for a script element."""
    codes = {one["lang"]: one["hreflang"] for one in config.extra["alternate"]}
    address = page.canonical_url or ""
    article = {
        "@type": "TechArticle",
        "headline": page.title,
        "inLanguage": codes.get(language, language),
        "url": address,
    }
    graph: list[dict[str, Any]] = [article]
    if crumbs := [*_above(page), (page.title, address)][:-1]:
        items = enumerate([*crumbs, (page.title, address)], start=1)
        listed = [
            {"@type": "ListItem", "position": at, "name": name, "item": item}
            for at, (name, item) in items
        ]
        graph.append({"@type": "BreadcrumbList", "itemListElement": listed})
    if questions := list(_questions(page, project, language)):
        graph.append({"@type": "FAQPage", "mainEntity": questions})
    said = {"@context": "https://schema.org", "@graph": graph}
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")  # "</script>" would end the element


def _above(page: Page) -> Iterator[tuple[str, str]]:
    """Name and address of the sections around the page, the outermost first: of those that have a
    page of their own, which is not this one."""
    for section in reversed(page.ancestors):
        first = next(iter(section.children or ()), None)
        own = isinstance(first, Page) and first.file.name == "index"
        if own and first is not page:
            yield section.title, first.canonical_url or ""


def _questions(page: Page, project: Project, language: str) -> Iterator[dict[str, Any]]:
    """The messages of the page's group that are met most often, each with what it means and what to
    do."""
    source = page.file.src_uri
    if not source.startswith(_MESSAGES) or not project.errors.is_dir():
        return
    group = source.removeprefix(_MESSAGES).removesuffix(".md")
    messages = loaded(load_errors, project, project.errors).values()
    ranked = sorted((one for one in messages if one.group == group), key=lambda one: one.rank)
    for message in ranked[:MOST_QUESTIONS]:
        yield {
            "@type": "Question",
            "name": message.says[0],
            "acceptedAnswer": {"@type": "Answer", "text": message.told(language)},
        }

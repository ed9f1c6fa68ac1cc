"""A page that is not written yet in the language of a site: a notice stands in its place.

It has the address and the ids of the page in the other language, so that links and the language
switch lead somewhere. theme/main.html writes the notice and keeps search engines away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from gpu_guide.pages.page import Page


def add_notices(
    files: Files, config: MkDocsConfig, other: str, missing: Mapping[str, Page]
) -> Files:
    """The files with a notice for each page that is `missing` here and written in `other`."""
    codes = {one["lang"]: one["hreflang"] for one in config.extra["alternate"]}
    for address, page in missing.items():
        file = File.generated(config, address, content="", inclusion=InclusionLevel.NOT_IN_NAV)
        link = f"{'../' * (file.url.count('/') + 1)}{other}/{file.url}"
        file.content_string = notice(page, codes[other], link)
        files.append(file)
    return files


def notice(page: Page, code: str, link: str) -> str:
    """The Markdown that stands for `page`, which is written in the language `code` at `link`."""
    front = {
        "title": page.title,
        "description": page.description,
        "unwritten": True,
        "search": {"exclude": True},
    }
    texts = {heading.id: heading.text for heading in page.headings if heading.level > 1}
    sections = [
        f'<li><a id="{name}" href="{link}#{name}" hreflang="{code}">{_code(texts[name])}</a></li>'
        for name, _ in page.ids
        if name in texts
    ]
    others = [f'<span id="{name}"></span>' for name, _ in page.ids if name not in texts]
    parts = [
        f"---\n{yaml.safe_dump(front, allow_unicode=True)}---",
        f'<h1 lang="{code}">{escape(page.title)}</h1>',
        f'<p lang="{code}">{escape(page.description)}{"".join(others)}</p>',
    ]
    if sections:
        parts.append("\n".join([f'<ul lang="{code}">', *sections, "</ul>"]))
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> str:
    """A heading as HTML: what stands in backquotes is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))

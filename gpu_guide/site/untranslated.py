"""A page that is not written yet in the language of a site: a notice takes its place.

It has the address and the ids of the page in the other language, so that links and the language
switch lead somewhere. theme/main.html writes the notice and keeps search engines away.
"""

from __future__ import annotations

from collections.abc import Iterable

import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from gpu_guide.pages.page import Page
from gpu_guide.render.template import fill

_NOT_IN_NAV = InclusionLevel.NOT_IN_NAV


class _Notice(File):
    """A page, whatever its address: that of a lab is its notebook's, to which links lead."""

    def is_documentation_page(self) -> bool:
        return True


def add_notices(files: Files, config: MkDocsConfig, other: str, missing: Iterable[Page]) -> Files:
    """The files with a notice for each page that is `missing` here and written in `other`."""
    codes = {one["lang"]: one["hreflang"] for one in config.extra["alternate"]}
    for page in missing:
        file = _Notice.generated(config, page.named, content="", inclusion=_NOT_IN_NAV)
        link = f"{'../' * (file.url.count('/') + 1)}{other}/{file.url}"
        file.content_string = notice(page, codes[other], link)
        files.append(file)
    return files


def notice(page: Page, code: str, link: str) -> str:
    """The Markdown that replaces `page`, which is written in the language `code` at `link`."""
    front = {
        "title": page.title,
        "description": page.description,
        "unwritten": True,
        "search": {"exclude": True},
    }
    texts = {heading.id: heading.text for heading in page.headings if heading.level > 1}
    sections = [(name, texts[name]) for name, _ in page.ids if name in texts]
    others = [name for name, _ in page.ids if name not in texts]
    html = fill("unwritten.html", page=page, code=code, link=link, sections=sections, others=others)
    return f"---\n{yaml.safe_dump(front, allow_unicode=True)}---\n\n{html}"

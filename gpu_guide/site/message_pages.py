"""A page of its own for each message of data/errors, for search engines and links from forums.

There are some hundreds of them in each language, and the theme takes 40 ms for a page. So MkDocs
builds one page with marks in the places of what differs, the shell, and each message fills a copy
of it. The pages are neither in the navigation nor in the search: those lead to reference/errors.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from markupsafe import Markup, escape
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from gpu_guide.data.addresses import url_of
from gpu_guide.data.errors import Message, load_errors
from gpu_guide.pages.page import load_pages
from gpu_guide.project import Project
from gpu_guide.render.error_list import title_of
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.template import backquoted, blocks, fill
from gpu_guide.render.words import Words
from gpu_guide.site.narrow import heading, narrow
from gpu_guide.snippets.model import load_snippets

ID, TITLE, DESCRIPTION, HEADING, BODY = (
    f"MESSAGE-{part}" for part in ("ID", "TITLE", "DESCRIPTION", "HEADING", "BODY")
)
SHELL = f"reference/message/{ID}.md"
TITLE_LENGTH = 70
"""Of a longer message, its title has the first words: a search engine cuts it off about here."""
_ROOT = "../../../"
SHELL_TEXT = f"""\
---
title: {TITLE}
description: {DESCRIPTION}
template: message.html
shell: true
search: {{exclude: true}}
---

# {HEADING} {{ #message }}

{BODY}
"""
_MARK = re.compile("|".join((f"<p>{BODY}</p>", ID, TITLE, DESCRIPTION, HEADING)))
_COPY_LINK = re.compile(r'class="headerlink" href="#([a-z0-9-]+)" title="[^"]*"')


def addresses(project: Project) -> list[str]:
    """The addresses of the pages below a language's folder. Raises GuideError."""
    if not project.errors.is_dir():
        return []
    messages = loaded(load_errors, project, project.errors).values()
    return [url_of(message.own_page) for message in messages]


def add_shell(files: Files, config: MkDocsConfig) -> None:
    """Have MkDocs build the shell along with the pages."""
    place = InclusionLevel.NOT_IN_NAV
    files.append(File.generated(config, SHELL, content=SHELL_TEXT, inclusion=place))


def with_copy_links(html: str, project: Project, say: Words) -> str:
    """A page below reference/errors whose headings link to the messages' own pages."""
    known = loaded(load_errors, project, project.errors)

    def own_page(link: re.Match[str]) -> str:
        if link[1] not in known:
            return link[0]
        title = escape(say("message_own_page"))
        return f'class="headerlink" href="{_ROOT}{url_of(known[link[1]].own_page)}" title="{title}"'

    return _COPY_LINK.sub(own_page, html)


def title(message: Message) -> str:
    """The message, or as many of its first words as a title can have."""
    return textwrap.shorten(message.says[0], TITLE_LENGTH, placeholder=" …")


def write(shell: str, out: Path, project: Project, language: str) -> None:
    """Write the pages into the language's folder `out`. Raises GuideError."""
    say = Words(language)
    known = loaded(load_errors, project, project.errors)
    used_on = _used_on(project, language)
    for message in known.values():
        body = _body(message, known, used_on, project, say)
        parts = {
            ID: message.id,
            TITLE: escape(title(message)),
            DESCRIPTION: escape(message.means[language].replace("`", "")),
            HEADING: heading(_code(message.says[0])),
            f"<p>{BODY}</p>": narrow(body),
        }
        page = out / message.own_page / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        text = _MARK.sub(lambda mark, parts=parts: parts[mark[0]], shell)
        page.write_text(text, encoding="utf-8", newline="\n")


def _body(
    message: Message,
    known: Mapping[str, Message],
    used_on: Mapping[str, tuple[str, str]],
    project: Project,
    say: Words,
) -> Markup:
    language = say.language
    group = f"reference/errors/{message.group}"
    places = say.listed([say(f"on_{place}") for place in message.where])
    releases = say.listed(message.torch)
    key = "message_in_torch" if releases else "message_from"
    snippet = None
    if message.snippet:
        found = loaded(load_snippets, project, project.snippets)[message.snippet]
        snippet = (found.title[language].rstrip(".。"), f"{_ROOT}../snippets/{message.snippet}.py")
    return fill(
        "message.html",
        say=say,
        message=message,
        means=backquoted(message.means[language]),
        fix=blocks(message.fix[language]),
        confirm=backquoted(message.confirm[language]),
        apart=backquoted(message.apart.get(language, "")),
        says=[_code(text) for text in message.says],
        varies="…" in "".join(message.says),
        unlike=[
            (_code(known[id].says[0]), _ROOT + url_of(known[id].own_page)) for id in message.unlike
        ],
        explained=(title_of(project, language, message.page), _ROOT + _url(message.page)),
        group=(title_of(project, language, group), f"{_ROOT}{group}/#{message.id}"),
        diagnose=f"{_ROOT}reference/diagnose/",
        met=say("message_met", places=places),
        origin=say(
            key,
            file=_code(message.source_in(language)),
            source=message.source_in(language),
            releases=releases,
        ),
        snippet=snippet,
        shown=used_on.get(message.snippet),
    )


def _used_on(project: Project, language: str) -> dict[str, tuple[str, str]]:
    """By snippet, the title and the address of the first page that shows it."""
    pages: Iterable = load_pages(project)[0].get(language, {}).values()
    found: dict[str, tuple[str, str]] = {}
    for page in pages:
        for use in page.snippets:
            there = _ROOT + url_of(page.address.removesuffix(".md"))
            found.setdefault(use.name, (page.title, there))
    return found


def _url(place: str) -> str:
    page, hash_, section = place.partition("#")
    return f"{url_of(page)}{hash_}{section}"


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)

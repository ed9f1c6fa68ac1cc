"""Files for machines that read: each page as Markdown, and lists of the pages.

check/devices/index.md  the page, next to its index.html
llms.txt                the pages of the navigation, each with its description
llms-full.txt           all of them, one after another
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from gpu_guide.render.words import Words

NAME = "index.md"
"""What each page's Markdown is called, in the folder of its address."""
LIST, WHOLE = "llms.txt", "llms-full.txt"


def write(nav: Navigation, config: MkDocsConfig) -> None:
    """Write the Markdown of each page, and both lists, into the site's folder."""
    out = Path(config.site_dir)
    say = Words(Path(config.docs_dir).name)
    whole = []
    for page in filter(written, nav.pages):
        text = _page(page, say)
        whole.append(text)
        path = (out / page.file.dest_uri).with_name(NAME)
        _write(path, text)
    _write(out / LIST, listed(nav, config, say))
    _write(out / WHOLE, "\n".join([_head(config), *whole]))


def written(page: Page) -> bool:
    """Whether the page has Markdown: a notice of a page in the other language has none, and the
    shell of the messages' pages is no page."""
    return bool(getattr(page, "as_text", "")) and not page.meta.get("shell")


def listed(nav: Navigation, config: MkDocsConfig, say: Words) -> str:
    """The text of llms.txt."""
    parts = [_head(config), f"- [{say('text_whole')}]({config.site_url}{WHOLE})\n"]
    alone = [_item(page) for page in nav.items if isinstance(page, Page) and written(page)]
    parts += ["".join(alone)] if alone else []
    for section in nav.items:
        if isinstance(section, Section) and (items := "".join(_items(section))):
            parts.append(f"## {section.title}\n\n{items}")
    return "\n".join(parts)


def _head(config: MkDocsConfig) -> str:
    return f"# {config.site_name}\n\n> {config.site_description or config.site_name}\n"


def _items(section: Section) -> Iterator[str]:
    for one in section.children:
        if isinstance(one, Section):
            yield from _items(one)
        elif isinstance(one, Page) and written(one):
            yield _item(one)


def _item(page: Page) -> str:
    described = page.meta.get("description")
    address = f"{page.canonical_url}{NAME}"
    return f"- [{page.title}]({address})" + (f": {described}" if described else "") + "\n"


def _page(page: Page, say: Words) -> str:
    """The page with its address below the title, for readers who have nothing else."""
    title, _, rest = str(getattr(page, "as_text", "")).partition("\n")
    return f"{title}\n\n{say('text_from', address=f'<{page.canonical_url}>')}\n{rest}"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")

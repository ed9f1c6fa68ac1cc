"""Files for machines that read: each page as Markdown, and lists of the pages.

check/devices/index.md  the page, next to its index.html
llms.txt                the pages of the navigation, each with its description
llms-full.txt           all of them, one after another
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.render.words import Words
from gpu_guide.site.both_builders import write as write_file

NAME = "index.md"
"""What each page's Markdown is called, in the folder of its address."""
LIST, WHOLE = "llms.txt", "llms-full.txt"


@dataclass(frozen=True)
class Text:
    """A page as Markdown, with its address below the language's folder and the outermost section
    that it is in: "" for a page that is in none."""

    title: str
    address: str
    section: str
    description: str
    markdown: str


def write(
    texts: Sequence[Text], out: Path, language: str, name: str, described: str, site_url: str
) -> None:
    """Write the Markdown of each page and both lists into `out`, the folder of a language's site
    called `name`. The texts are in the order of the navigation."""
    say = Words(language)
    head = f"# {name}\n\n> {described or name}\n"
    whole = []
    for one in texts:
        title, _, rest = one.markdown.partition("\n")
        # With its address below the title, for readers who have nothing else.
        source = say("text_from", address=f"<{site_url}{one.address}>")
        whole.append(f"{title}\n\n{source}\n{rest}")
        write_file(out / one.address / NAME, whole[-1])
    parts = [head, f"- [{say('text_whole')}]({site_url}{WHOLE})\n"]
    sections: dict[str, str] = {"": ""}
    for one in texts:
        said = f": {one.description}" if one.description else ""
        item = f"- [{one.title}]({site_url}{one.address}{NAME}){said}\n"
        sections[one.section] = sections.get(one.section, "") + item
    parts += [f"## {title}\n\n{items}" if title else items for title, items in sections.items()]
    write_file(out / LIST, "\n".join(filter(None, parts)))
    write_file(out / WHOLE, "\n".join([head, *whole]))

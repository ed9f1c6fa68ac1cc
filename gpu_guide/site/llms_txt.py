"""Files for machines that read: each page as Markdown, and lists of the pages.

check/devices/index.md  the page, next to its index.html
llms/memory-leaks.txt   pages of a section, from that one on, as many as a model reads at once
llms.txt                these files with their sizes, and the pages, each with its description
llms-full.txt           the list of the files: once it had all pages, more than any model reads
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.render.words import Words
from gpu_guide.site.both_builders import write as write_file
from gpu_guide.site.for_programs import MARKDOWN

LIST, WHOLE = "llms.txt", "llms-full.txt"
FOLDER = "llms"
LARGEST = 100_000
"""Bytes of a file with the pages of a section, of which the longer ones need several."""


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
    """Write the Markdown of each page, the files of the sections and both lists into `out`, the
    folder of a language's site called `name`. The texts are in the order of the navigation."""
    say = Words(language)
    head = f"# {name}\n\n> {described or name}\n"
    whole: dict[str, list[tuple[Text, str]]] = {}
    for one in texts:
        title, _, rest = one.markdown.partition("\n")
        # With its address below the title, for readers who have nothing else.
        source = say("text_from", address=f"<{site_url}{one.address}>")
        text = f"{title}\n\n{source}\n{rest}"
        write_file(out / one.address / MARKDOWN, text)
        whole.setdefault(one.section, []).append((one, text))
    (out / FOLDER).mkdir(exist_ok=True)
    files, alone, listed = "", "", ""
    for section, pages in whole.items():
        parts = _parts(pages)
        for number, part in enumerate(parts, 1):
            first = part[0][0].address.strip("/").replace("/", "-") or "home"
            place = f"{FOLDER}/{first}.txt"
            title = section or part[0][0].title
            if len(parts) > 1:
                title = say("text_part", title=title, number=number, count=len(parts))
            titles = " · ".join(one.title for one, _ in part)
            text = "\n".join([f"# {name}: {title}\n", *(text for _, text in part)])
            write_file(out / place, text)
            size = say("text_size", size=-(-len(text.encode()) // 1000), pages=titles)
            files += f"- [{title}]({site_url}{place}): {size}\n"
        items = "".join(_item(one, site_url) for one, _ in pages)
        if section:
            listed += f"\n## {section}\n\n{items}"
        else:
            alone += f"\n{items}"
    files = f"## {say('text_files')}\n\n{files}"
    write_file(out / LIST, f"{head}{alone}\n{files}{listed}")
    write_file(out / WHOLE, f"{head}\n{files}")


def _item(one: Text, site_url: str) -> str:
    said = f": {one.description}" if one.description else ""
    return f"- [{one.title}]({site_url}{one.address}{MARKDOWN}){said}\n"


def _parts(pages: Sequence[tuple[Text, str]]) -> list[list[tuple[Text, str]]]:
    """The pages in as many parts as they need, for files of at most LARGEST bytes."""
    parts: list[list[tuple[Text, str]]] = [[]]
    room = fresh = LARGEST - 1000  # for the title of the file
    for one, text in pages:
        size = len(text.encode()) + 1
        if size > room and parts[-1]:
            parts.append([])
            room = fresh
        parts[-1].append((one, text))
        room -= size
    return parts

"""The tables of files for programs and editors, which the build writes beside the pages."""

from __future__ import annotations

from markupsafe import Markup

from gpu_guide.render.table import Table
from gpu_guide.render.template import backquoted
from gpu_guide.render.words import Words

PROGRAMS = {
    "llms": "%PAGES%/llms.txt",
    "errors": "%PAGES%/errors.json",
    "answers": "%PAGES%/answers.json",
    "snippets": "%SNIPPETS%.json",
}
EDITORS = {
    "vs_code": "%PAGES%/editor/pytorch-gpu.code-snippets",
    "pycharm": "%PAGES%/editor/pytorch-gpu.xml",
}
"""Where each file lies, by the end of the key of its words."""


def of(files: dict[str, str], say: Words) -> Markup:
    """A row a file: the link, and what is in it."""
    rows = []
    for key, place in files.items():
        name = place.rpartition("/")[2].replace("%SNIPPETS%", "snippets")
        link = Markup('<a href="{}">{}</a>').format(place, name)
        rows.append([link, backquoted(say(f"file_{key}"))])
    return Table(say.heads("files"), rows, ()).html(say)

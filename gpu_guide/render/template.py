"""The HTML of the renderer: templates in the folder templates/, in which every value is escaped."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gpu_guide.data.errors import LIST


def fill(template: str, **values: Any) -> Markup:
    """The template with the values: `fill("table.html", heads=…)`."""
    return Markup(_environment().get_template(template).render(values))


def backquoted(text: str) -> Markup:
    """The text as HTML, with code for text in backquotes."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def blocks(text: str) -> Markup:
    """The text as HTML, with its paragraphs and lists: empty lines are between them."""
    return Markup("\n").join(map(_block, text.split("\n\n")))


def _block(text: str) -> Markup:
    if not LIST.match(text):
        return Markup("<p>{}</p>").format(backquoted(text))
    tag = Markup("ul" if text.startswith("-") else "ol")
    items = (backquoted(LIST.sub("", line, count=1)) for line in text.split("\n"))
    lines = Markup("\n").join(Markup("<li>{}</li>").format(item) for item in items)
    return Markup("<{0}>\n{1}\n</{0}>").format(tag, lines)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gpu_guide.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["backquoted"] = backquoted
    return environment

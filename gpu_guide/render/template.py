"""The HTML of the renderer: templates in the folder templates/, in which every value is escaped."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape


def fill(template: str, **values: Any) -> Markup:
    """The template with the values: `fill("table.html", heads=…)`."""
    return Markup(_environment().get_template(template).render(values))


def backquoted(text: str) -> Markup:
    """The text as HTML, with code for text in backquotes."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


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

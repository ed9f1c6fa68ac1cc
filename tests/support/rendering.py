"""Markdown with the guide's own fences, as a page has them."""

from __future__ import annotations

from pathlib import Path

import markdown


def rendered(
    text: str, language: str = "en", *extensions: str, root: Path | None = None, **more: str
) -> str:
    """The HTML of the text, in the project in `root`, or in ours."""
    settings = {"language": language, **more} | ({"root": str(root)} if root else {})
    return markdown.markdown(
        text,
        extensions=[*extensions, "gpu_guide.render"],
        extension_configs={
            "gpu_guide.render": settings,
            "pymdownx.tabbed": {"alternate_style": True},
        },
    )

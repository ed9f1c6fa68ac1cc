"""The Markdown extension of the guide: `gpu_guide.render` makes HTML of its fences.

It is a plain Python-Markdown extension: no generator's hooks, so any generator that takes such
extensions can build the pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown.extensions import Extension


def makeExtension(**kwargs: Any) -> Extension:
    """What Python-Markdown calls to load `gpu_guide.render`."""
    # Not above: whoever needs a single module of this package need not have Markdown.
    from gpu_guide.render.extension import GuideExtension

    return GuideExtension(**kwargs)

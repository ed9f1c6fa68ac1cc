"""The wheel chooser of install/index as HTML: a sentence for readers without JavaScript, and the
data and words of theme/assets/wheel-chooser.js."""

from __future__ import annotations

import json

from markupsafe import Markup

from gpu_guide.data.wheel_chooser import carried
from gpu_guide.data.wheels import Wheels
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words


def chooser(wheels: Wheels, say: Words) -> str:
    """The element that the script makes into the chooser. Raises GuideError."""
    words = say.beginning("chooser_")
    fallback = words.pop("fallback")
    content = {"wheels": carried(wheels), "words": words}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # In a script element only "</" would end it.
    return fill("chooser.html", fallback=fallback, content=Markup(text.replace("<", "\\u003c")))

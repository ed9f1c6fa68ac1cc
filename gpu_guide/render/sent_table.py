"""The table of what GPUs send in a step: what the calculator of multi-gpu/ shows at first, and what
stays where no script runs."""

from __future__ import annotations

from markupsafe import Markup

from gpu_guide.fit.communication import METHODS, Step
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words

UNITS = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))


def sent(say: Words) -> Markup:
    """The bytes that each method sends, those for a token, and the least time of a ring."""
    on, words = Step(), say.beginning("calculator_")
    heads = [words[name] for name in ("method", "sent", "token", "time")]
    rows = []
    for name, volume in METHODS.items():
        size = volume(on)
        seconds = size / (on.bandwidth * 1e9)
        cells = [_size(size), _size(size / (on.tokens * on.microbatches)), _duration(seconds)]
        rows.append((words[name], cells))
    return fill("sent.html", heads=heads, rows=rows)


def _size(size: float) -> str:
    unit, name = next((one for one in UNITS if size >= one[0]), UNITS[-1])
    return f"{float(f'{size / unit:.3g}'):g} {name}"


def _duration(seconds: float) -> str:
    number, name = (seconds * 1e3, "ms") if seconds < 1 else (seconds, "s")
    return f"{float(f'{number:.3g}'):g} {name}"

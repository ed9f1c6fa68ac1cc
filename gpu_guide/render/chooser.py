"""The wheel chooser of install/index as HTML: a table of its commands for readers without
JavaScript, and the data and words of theme/assets/wheel-chooser.js."""

from __future__ import annotations

import json

from markupsafe import Markup

from gpu_guide.data.wheel_chooser import carried
from gpu_guide.data.wheel_commands import Row, rows
from gpu_guide.data.wheels import Wheels
from gpu_guide.render.table import Table
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words


def chooser(wheels: Wheels, say: Words) -> str:
    """The element that the script makes into the chooser. Raises GuideError."""
    words = say.beginning("chooser_")
    fallback = words.pop("fallback")
    content = {"wheels": carried(wheels), "words": words}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # In a script element only "</" would end it.
    cells = [_cells(row, wheels, say) for row in rows(wheels)]
    table = Table(say.heads("commands"), cells, ())
    carried_text = Markup(text.replace("<", "\\u003c"))
    return fill("chooser.html", fallback=fallback, table=table.html(say), content=carried_text)


def _cells(row: Row, wheels: Wheels, say: Words) -> list[str]:
    systems = [say(f"chooser_system_{system}") for system in row.systems]
    driver = say("and_newer", version=row.linux) if row.gpus else ""
    if row.linux != row.windows:
        driver = say("drivers_of_both", linux=row.linux, windows=row.windows)
    command = Markup("<code>{}</code>").format(row.command)
    return [say.listed(systems), gpus_named(row, wheels, say), driver, command]


def gpus_named(row: Row, wheels: Wheels, say: Words) -> str:
    """The generations with a card of each; of three and more in a row, the first and the last."""
    names = [say("such_as", name=gpu.name, card=gpu.cards[0]) for gpu in row.gpus]
    places = [wheels.generations.index(gpu) for gpu in row.gpus]
    if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
        return say("first_to_last", first=names[0], last=names[-1])
    return say.listed(names) or say("chooser_gpu_none")

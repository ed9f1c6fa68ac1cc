"""The fences of the page that diagnoses, and the rules and texts of its script.

A fence `diagnosis` with `rules` becomes the box; with `door`, the smaller one with which the home
page begins. A fence `causes` becomes a table in Markdown: a wording, what it means, and the section
that explains it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from posixpath import relpath
from typing import Any

from markupsafe import Markup

from gpu_guide.data.addresses import url_of
from gpu_guide.data.diagnosis import LEVELS, Alternative, Cause, Knowledge, load_diagnosis
from gpu_guide.data.doctor import diagnoses
from gpu_guide.data.errors import Message, load_errors
from gpu_guide.diagnosis import understood
from gpu_guide.diagnosis.facts import HEAD, KEYS, NAMES
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.render.error_list import title_of
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.template import backquoted, blocks, fill
from gpu_guide.render.words import Words

PAGE = "reference/diagnose"
DOCTOR = "check/doctor#diagnoses"
SHOWN = 3
"""So many wordings of a cause are in the table."""
_TOLD = ("means", "fix", "run", "page", "text")
"""Keys of a cause or a note that are shown and decide nothing."""
_OF_THE_DOOR = ("long", "diagnose", "nothing", "wait")
_TEXTS = ("fields", "words", "doctor", "places")
"""Other keys of this kind."""


class DiagnosisBox:
    """`DiagnosisBox(project, say)(body, count)`: the HTML of the box. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, body: list[str], count: int) -> Markup:
        if body == ["door"]:
            words = {key: self.say(f"door_{key}") for key in _OF_THE_DOOR}
            return fill("door_box.html", say=self.say, words=json.dumps(words, ensure_ascii=False))
        if body != ["rules"]:
            raise fault(None, None, f"{body} in a diagnosis fence", "write rules or door")
        return fill("diagnosis_box.html", say=self.say)


class CauseTable:
    """`CauseTable(project, say)("fault")`: the causes as a table in Markdown."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, body: str) -> str:
        known, messages = _data(self.project)
        heads = [self.say(f"diagnose_{key}") for key in ("text", "means", "more")]
        lines = [_row(heads), _row(["---"] * 3)]
        lines += [_row(self._cells(c, messages)) for c in known.causes if c.level != "healthy"]
        return "\n".join([*lines, ""])

    def _cells(self, cause: Cause, messages: dict[str, Message]) -> Iterator[str]:
        language = self.say.language
        wordings = [messages[id].says[0] for id in cause.messages] + list(cause.says)
        shown = [f"`` {text.replace('|', '&#124;')} ``" for text in wordings[:SHOWN]]
        yield cause.seen[language] if cause.seen else self.say.listed(shown)
        yield cause.means[language]
        page, mark, section = cause.page.partition("#")
        address = relpath(page, PAGE.rpartition("/")[0]) + f".md{mark}{section}"
        yield f"[{title_of(self.project, language, cause.page)}]({address})"


def scripts(project: Project, language: str) -> dict[str, str]:
    """The rules in one language as scripts that theme/assets/diagnose.js finds, by their names.

    Texts that are only shown are two thirds of them. It has a script of its own, which the page
    loads when somebody has something to paste. Without any rules there are none.
    """
    if not project.diagnosis.is_file():
        return {}
    judged = rules(project, language)
    told: dict[str, Any] = {key: judged.pop(key) for key in _TEXTS}
    for kind in ("causes", "notes"):
        told[kind] = {
            one["id"]: {key: one.pop(key) for key in _TOLD if key in one} for one in judged[kind]
        }
    return {
        "diagnosis-rules.js": _assigned("guideRules", judged),
        "diagnosis-texts.js": _assigned("guideTexts", told),
    }


def _assigned(name: str, value: object) -> str:
    return f"var {name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"


def rules(project: Project, language: str) -> dict[str, Any]:
    """All that theme/assets/diagnose.js needs, in one language. Raises GuideError."""
    known, messages = _data(project)
    taken = {id for cause in known.causes for id in cause.messages}
    causes = [
        {
            "id": cause.id,
            "level": LEVELS.index(cause.level),
            "says": [_said(known, "", wording) for wording in cause.says]
            + [_said(known, id, text) for id in cause.messages for text in messages[id].says],
            "when": list(map(_when, cause.alternatives)),
            "doctor": cause.doctor,
            **_as_html(cause, language),
            "run": cause.run,
            "page": cause.page,
            **({"over": cause.over} if cause.over else {}),
        }
        for cause in known.causes
    ]
    causes += [
        {
            "id": message.id,
            "level": LEVELS.index(known.levels.get(message.id, "usual")),
            "says": [_said(known, message.id, text) for text in message.says],
            "when": [],
            "doctor": [],
            **_as_html(message, language),
            "run": [],
            "page": message.page,
        }
        for message in messages.values()
        if message.id not in taken
    ]
    notes = [
        {
            "id": note.id,
            "when": list(map(_when, note.alternatives)),
            "text": note.text[language],
            "page": note.page,
        }
        for note in known.notes
    ]
    places = {DOCTOR, DOCTOR.partition("#")[0], *(one["page"] for one in [*causes, *notes])}
    return {
        "causes": causes,
        "notes": notes,
        "fields": [[one.id, one.value, one.text[language]] for one in known.fields],
        "cards": [
            {"capability": card.capability, "cuda": card.cuda, "names": card.names}
            for card in known.cards
        ],
        "mentions": [[one.fact, one.pattern] for one in known.mentions],
        "healthy": [c.id for c in known.causes if c.level == "healthy"],
        "keys": sorted(KEYS),
        "names": NAMES,
        "head": HEAD,
        "understands": {
            "sources": understood.SOURCES,
            "said": understood.SAID,
            "frame": understood.FRAME,
            "others": understood.OTHERS,
            "pastes": understood.PASTES,
        },
        "remark": LEVELS.index("remark"),
        "words": Words(language).beginning("verdict_"),
        "drivers": known.drivers,
        "builds": {f"{torch} {cuda}": archs for (torch, cuda), archs in known.builds.items()},
        "doctor": {code: backquoted(texts[language]) for code, texts in diagnoses(project).items()},
        "places": {
            place: [title_of(project, language, place).replace("`", ""), _url(place)]
            for place in sorted(places)
        },
    }


def _as_html(one: Cause | Message, language: str) -> dict[str, str]:
    return {"means": backquoted(one.means[language]), "fix": blocks(one.fix[language])}


def _said(known: Knowledge, id: str, wording: str) -> list[object]:
    words = known.vague.get(id)
    return [wording, words] if words else [wording]


def _when(conditions: Alternative) -> list[list[object]]:
    return [[one.fact, one.pattern, *([1] if one.absent else [])] for one in conditions]


def _url(place: str) -> str:
    page, mark, section = place.partition("#")
    return f"{url_of(page)}{mark}{section}"


def _data(project: Project) -> tuple[Knowledge, dict[str, Message]]:
    known = loaded(load_diagnosis, project, project.data)
    return known, loaded(load_errors, project, project.errors)


def _row(cells: Iterator[str] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"

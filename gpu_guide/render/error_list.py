"""A fence `errors` with the name of a group becomes the messages of the group, as Markdown.

Each message is a heading like any other: in the table of contents, in the search index, and with an
address of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import relpath

from gpu_guide.data.errors import Message, load_errors
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.words import Words


class ErrorList:
    """`ErrorList(project, say)(group)`: the messages of that group. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, group: str) -> str:
        known = loaded(load_errors, self.project, self.project.errors)
        messages = known.values()
        chosen = [message for message in messages if message.group == group]
        if not chosen:
            groups = sorted({message.group for message in messages})
            remedy = did_you_mean(group, groups)
            raise fault(None, None, f"no group {group!r} in data/errors", remedy)
        chosen.sort(key=lambda message: message.rank)
        lines = [line for message in chosen for line in self._lines(message, known)]
        return "\n".join([*lines, *self._elsewhere(group, messages)])

    def _elsewhere(self, group: str, messages: Iterable[Message]) -> Iterator[str]:
        """Links to those that stood in the group before, each under its old anchor."""
        gone = [message for message in messages if message.once == group]
        if gone:
            yield f"## {self.say('errors_elsewhere')} {{ #elsewhere }}\n"
        for message in gone:
            yield f"- {_link(message, group)}{{ #{message.id} }}"
        if gone:
            yield ""

    def _lines(self, message: Message, known: Mapping[str, Message]) -> Iterator[str]:
        say = self.say
        first, *others = message.says
        yield f"## {_code(first)} {{ #{message.id} }}\n"
        if others:
            yield say("error_also", wordings=say.listed(_codes(others))) + "\n"
        yield message.told(say.language, say("sentence_space")) + "\n"
        yield say("error_confirm", how=message.confirm[say.language]) + "\n"
        if message.unlike:
            others = say.listed([_link(known[id], message.group) for id in message.unlike])
            yield say("error_unlike", others=others, apart=message.apart[say.language]) + "\n"
        page, _, section = message.page.partition("#")
        address = relpath(page, "reference/errors") + f".md#{section}"
        title = title_of(self.project, say.language, message.page)
        yield say("error_more", title=title, address=address) + "\n"
        places = say.listed([say(f"on_{place}") for place in message.where])
        if message.torch:
            releases = say.listed(message.torch)
            said = say(
                "error_in_torch", file=_code(message.source_in(say.language)), releases=releases
            )
        else:
            said = say("error_from", source=message.source_in(say.language))
        yield f"<small>{places}{say('semicolon')}{said}</small>\n"


def title_of(project: Project, language: str, place: str) -> str:
    """The heading of `page#section`, or the title of a page, in this language."""
    page, _, section = place.partition("#")
    path = project.docs / language / f"{page}.md"
    if not path.is_file():
        return page
    text = path.read_text("utf-8")
    pattern = rf"^#+ (.+) \{{ #{section} \}}$" if section else r"^title: (.+)$"
    found = re.search(pattern, text, re.MULTILINE)
    return found[1].strip("\"'") if found else page


def _link(message: Message, group: str) -> str:
    """A link to the message from the page of a group."""
    page = "" if message.group == group else f"{message.group}.md"
    return f"[{_code(message.says[0])}]({page}#{message.id})"


def _codes(texts: Iterable[str]) -> list[str]:
    """Each text as code."""
    return [_code(text) for text in texts]


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"

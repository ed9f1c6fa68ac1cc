"""Typed access to `data/errors/*.yml`, and the rule that finds their messages in what readers
paste.

The rule is the same in the site's search box (theme/assets/errors.js); tests compare the two. It
has no patterns, only texts that have to follow one another, so no input makes it slow.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from gpu_guide.data.entries import Texts, entries, only_once, typed
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project, about

GAP = 200
"""How many characters one … may match."""
LONGEST = 200_000
"""How many characters of a text are looked at, half of them from its beginning."""
PLACES = ("linux", "windows", "wsl", "mac", "container", "notebook")
ENGLISH = re.compile(
    r"(?<![\w./-])(?:an?|and|before|by|compilers?|documentation|driver|extensions|for|from|has|"
    r"holds|in|is|linker|loader|of|old|older|on|only|releases?|runtime|script|the|to|tried|which|"
    r"with|\w+'s)(?![\w./-])"
)
"""English words, which distinguish a source in English from names of programs and files."""
LIST = re.compile(r"(?:-|\d+\.) ")
"""How a line of a list begins."""
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


@dataclass(frozen=True)
class Message:
    """One message that people paste into a search. The keys of its entry in the file of its group:

    - `id`: the anchor on its page, which is reference/errors/<name of the file>
    - `once`: the group it was in before, whose page links to it under the old anchor; may be
      missing
    - `says`: the message in its wordings, old and new; … stands for what varies
    - `page`: the section that explains it
    - `rank`: how often people meet it: 1 very often, 2 often, 3 seldom
    - `where`: linux, windows, wsl, mac, container, notebook
    - `means`: what it means; `fix`: what to do. Both in each language. In `fix`, lines that begin
      with `- ` or `1. ` are a list, with an empty line before and behind it.
    - `confirm`: how to confirm that this is the cause: a command, or what to look at. In each
      language.
    - `unlike`: the ids of messages that look the same and are not; `apart`: how to tell them from
      this one, in each language. Both may be missing.
    - `source`: what prints it: a program, or the file of torch that has the text; `source_said`:
      the same in a language, where source has words of English
    - `torch`: the releases of torch in which that text was found
    - `snippet`: the snippet that raises it, if there is one
    """

    id: str
    group: str
    says: tuple[str, ...]
    page: str
    rank: int
    where: tuple[str, ...]
    means: Texts
    fix: Texts
    confirm: Texts
    source: str
    torch: tuple[str, ...] = ()
    snippet: str = ""
    once: str = ""
    unlike: tuple[str, ...] = ()
    apart: Texts = field(default_factory=dict)
    source_said: Mapping[str, str] = field(default_factory=dict)

    def source_in(self, language: str) -> str:
        """What prints it, as a page in this language says it."""
        return self.source_said.get(language, self.source)

    def told(self, language: str, space: str = " ") -> str:
        """What it means and what to do, as `together` joins them."""
        return together(self.means[language], self.fix[language], space)

    @property
    def place(self) -> str:
        """Where it is explained: the page without .md, and its own anchor there."""
        return f"reference/errors/{self.group}#{self.id}"

    @property
    def own_page(self) -> str:
        """The page that it has for itself: gpu_guide/site/message_pages.py writes it."""
        return f"reference/message/{self.id}"


def together(means: str, fix: str, space: str = " ") -> str:
    """Both as one text: a list at the beginning of `fix` needs an empty line before it."""
    return means + ("\n\n" if LIST.match(fix) else space) + fix


def load_errors(project: Project) -> dict[str, Message]:
    """The messages by id, in the order of data/errors/order.txt; those that it does not list come
    behind, by group. Raises GuideError."""
    messages: dict[str, Message] = {}
    wordings: dict[str, str] = {}
    for path in _files(project):
        for line, entry in entries(path):
            if "group" in entry:
                remedy = "delete the key: the name of the file is the group"
                raise fault(path, line, f"group: {entry['group']!r}", remedy)
            message = typed(path, line, Message, entry | {"group": path.stem}, project.languages)
            only_once(path, line, "id", message.id, messages)
            _check(path, line, message, project)
            for wording in message.says:
                known = "".join(pieces(wording))
                if len(known) < 6:
                    remedy = "write more of the message: so little is found everywhere"
                    raise fault(path, line, f"says: {wording!r}", remedy)
                if other := wordings.get(known):
                    remedy = "keep it in the one that it tells more of"
                    raise fault(path, line, f"says: {wording!r} as {other!r} does", remedy)
                wordings[known] = message.id
            messages[message.id] = message
    _check_named(project, messages)
    order = _order(project, messages)
    ids = sorted(messages, key=lambda id: order.get(id, math.inf))
    return {id: messages[id] for id in ids}


def written_at(project: Project, message: Message) -> tuple[Path, int]:
    """The file and the line of the message's entry."""
    path = project.errors / f"{message.group}.yml"
    return path, next(line for line, entry in entries(path) if entry["id"] == message.id)


def _files(project: Project) -> list[Path]:
    """A file for each group."""
    return sorted(project.errors.glob("*.yml"))


def _check(path: Path, line: int, message: Message, project: Project) -> None:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", message.id):
        remedy = "write lower-case words with hyphens: it is an address"
        raise fault(path, line, f"id: {message.id!r}", remedy)
    if message.rank not in (1, 2, 3):
        raise fault(path, line, f"rank: {message.rank}", "1 very often, 2 often, 3 seldom")
    for place in message.where:
        if place not in PLACES:
            raise fault(path, line, f"where: {place!r}", f"the places are {', '.join(PLACES)}")
    for language in project.languages:
        for block in message.fix[language].split("\n\n"):
            lines = block.split("\n")
            if not all(lines) or (len(lines) > 1 and not all(map(LIST.match, lines))):
                remedy = "write a paragraph or an item on one line, with empty lines around a list"
                raise fault(path, line, f"fix: {block!r} in {language!r}", remedy)
    for name in ("means", "fix", "confirm", "apart"):
        # They are shown on pages of several folders, and in a terminal.
        if any("](" in text for text in getattr(message, name).values()):
            raise fault(path, line, f"{name}: a link", "`page` leads to the explanation")
    if message.unlike and not message.apart:
        raise fault(path, line, "apart: missing", "write how to tell those in 'unlike' from it")
    for language in project.languages:
        if about(language).han and ENGLISH.search(message.source_in(language)):
            remedy = f"write it in {language!r}: source_said: {{{language}: '…'}}"
            raise fault(path, line, f"source: {message.source!r} has English words", remedy)
    if message.apart and not message.unlike:
        raise fault(path, line, "apart: from what?", "name the messages in 'unlike'")


def _check_named(project: Project, messages: Mapping[str, Message]) -> None:
    """The groups and messages that a message names exist."""
    groups = {message.group for message in messages.values()}
    for message in messages.values():
        if message.once and message.once not in groups - {message.group}:
            remedy = did_you_mean(message.once, groups - {message.group}, "name another group")
            raise fault(*written_at(project, message), f"once: {message.once!r}", remedy)
        for other in message.unlike:
            others = messages.keys() - {message.id}
            if other not in others:
                remedy = did_you_mean(other, others, "name the id of another message")
                raise fault(*written_at(project, message), f"unlike: {other!r}", remedy)


def _order(project: Project, messages: Mapping[str, Message]) -> dict[str, int]:
    """The line of each id in order.txt."""
    path = project.errors / "order.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found: dict[str, int] = {}
    for line, id in enumerate(lines, 1):
        if id.startswith("#"):
            continue
        if id not in messages:
            remedy = did_you_mean(id, messages, "delete the line")
            raise fault(path, line, f"no message {id!r}", remedy)
        if id in found:
            raise fault(path, line, f"{id!r} again, first on line {found[id]}", "delete the line")
        found[id] = line
    return found


def found_in(text: str, messages: Iterable[Message]) -> list[Message]:
    """The messages that a text contains: those of which it has most first, then the frequent ones.

    Case, line ends, runs of blanks and the colours of a terminal make no difference.
    """
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    text = plain(text)
    found: list[tuple[int, int, Message]] = []
    for message in messages:
        lengths = [len(says) for says in message.says if _contains(text, pieces(says))]
        if lengths:
            found.append((-max(lengths), message.rank, message))
    return [message for *_, message in sorted(found, key=lambda one: one[:2])]


_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def plain(text: str) -> str:
    """The text in lower case with single blanks and straight quotes, without the colours of a
    terminal: blogs and forums set quotes as a printer would, and messages are copied from there."""
    return " ".join(_TERMINAL.sub("", text).lower().translate(_STRAIGHT).split())


@lru_cache(maxsize=4096)
def pieces(wording: str) -> tuple[str, ...]:
    """A wording as the pieces that follow one another, with what varies between them."""
    return tuple(known for piece in wording.split("…") if (known := plain(piece)))


def _contains(text: str, wanted: Sequence[str]) -> bool:
    return place(text, wanted) is not None


def place(text: str, wanted: Sequence[str]) -> tuple[int, int] | None:
    """From where to where the pieces follow one another in the text, each at most `GAP` behind the
    one before; None where they do not. Text and pieces are `plain`.

    Where the first piece occurs more than once, each of its places is tried.
    """
    first, *others = wanted
    start = text.find(first)
    while start >= 0:
        end = start + len(first)
        for piece in others:
            at = text.find(piece, end, end + GAP + len(piece))
            if at < 0:
                break
            end = at + len(piece)
        else:
            return start, end
        start = text.find(first, start + 1)
    return None

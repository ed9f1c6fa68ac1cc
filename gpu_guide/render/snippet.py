"""A snippet as a page shows it: code, output per machine, download, how to run it, where it ran."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from gpu_guide.records.evidence import Run, runs, stale_on
from gpu_guide.records.store import Record
from gpu_guide.render import provenance
from gpu_guide.render.how_to_run import how_to_run, torchrun
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words
from gpu_guide.snippets.distributed_setup import FRAME
from gpu_guide.snippets.model import Snippet


def figure(
    snippet: Snippet,
    say: Words,
    records: list[Record],
    torch: str,
    count: int,
    option: str = "",
) -> Markup:
    """The HTML of one snippet: the `count`-th of its page. `torch` is the pinned one, `option` one
    of pages.fences.SNIPPET_OPTIONS."""
    outputs = runs(snippet, records, torch)
    shown = [
        (provenance.label(run.origins, say), snippet.code(say.language, run.prints))
        for run in outputs
    ]
    title = snippet.title[say.language].rstrip(".。")
    fold = say("frame") if snippet.needs.kind == "torchrun" else ""
    if option == "show: download":
        code = Markup()
    elif option == "show: guess":
        code, title = _guess(shown, title, say), ""  # it tells what is to be guessed
    else:
        code = _code([(label, code_block(text, fold)) for label, text in shown], count)
    return fill(
        "snippet.html",
        say=say,
        name=snippet.name,
        file=snippet.path.name,
        title=title,
        code=code,
        lines=_to_fold(shown[0][1], fold) if code else 0,
        command=command(snippet),
        where=provenance.where((one for run in outputs for one in run.origins), say),
        claims=evidence(snippet, outputs, say, records),
        how=how_to_run(snippet, say),
    )


def evidence(
    snippet: Snippet, outputs: Sequence[Run], say: Words, records: list[Record]
) -> list[str]:
    """What the evidence line says of the snippet, whose outputs these are."""
    said = [provenance.claim(origin, say) for run in outputs for origin in run.origins]
    said += [provenance.stale_claim(machine, say) for machine in stale_on(snippet, records)]
    return said + provenance.further_needs(snippet.needs, say)


LONG = 15
"""More lines than these are folded on a phone, where they would be half a screen."""


def _to_fold(code: str, frame: str) -> int:
    """How many lines the code has, without those of the frame that is folded anyway; 0 for so few
    that they stay open."""
    lines = len(code.rstrip("\n").split("\n"))
    if frame and FRAME in code:
        lines -= FRAME.count("\n")
    return lines if lines > LONG else 0


def _guess(shown: list[tuple[str, str]], title: str, say: Words) -> Markup:
    """The code without outputs; these behind a button, with a label where they differ, and the
    title."""
    block = code_block(without_outputs(shown[0][1]), say("frame"))
    return fill("guess.html", say=say, code=block, answers=answers(shown), title=title)


def without_outputs(code: str) -> str:
    """The code without its `#>` lines."""
    return "".join(line for line in code.splitlines(keepends=True) if not _is_output(line))


def answers(shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of labels and code with outputs: labels and outputs alone, each output once."""
    found = {
        "\n".join(line.strip()[3:] for line in text.splitlines() if _is_output(line)): label
        for label, text in reversed(shown)
    }
    return [(label, text) for text, label in reversed(found.items()) if text]


def _is_output(line: str) -> bool:
    return line.lstrip(" ").startswith("#>")


def _code(blocks: list[tuple[str, Markup]], count: int) -> Markup:
    """The code with each output behind a tab of its own, where there are several."""
    if len(blocks) > 1:
        return tabs(blocks, "snippet", count)
    return blocks[0][1] if blocks else Markup()


@lru_cache(maxsize=2048)
def code_block(code: str, fold: str = "") -> Markup:
    """Highlighted Python in which each `#>` line is one element, its line end included.

    Where `fold` says what they are, the lines with which every distributed script begins are
    folded: they are explained once, in multi-gpu/ddp#frame, and are copied all the same.

    Names, operators, punctuation and blanks have the colour of code and need no element, and
    neighbours of one colour need only one: with one for each word a page would be a fifth larger.
    """
    coloured = iter(_coloured(without_outputs(code)))
    lines = code.rstrip("\n").split("\n")
    rows = [(True, line) if _is_output(line) else (False, next(coloured)) for line in lines]
    frame = FRAME.rstrip("\n").split("\n")
    begins = (at for at in range(len(lines)) if lines[at : at + len(frame)] == frame)
    first = next(begins, None) if fold else None
    last = None if first is None else first + len(frame) - 1
    return fill("code.html", rows=rows, fold=fold, first=first, last=last)


_LEXER, _FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
_LONG_TEXT = re.compile(r"\"{3}|'{3}")
_COMMENT = re.compile(r"( *)(#.*)")


def colour(code: str) -> None:
    """Have the colours of all but its comments known, for each language in which it is shown."""
    _coloured(without_outputs(code))


def _coloured(code: str) -> list[Markup]:
    """The lines of the code.

    What a line holds but a comment is the same in each language, and for each machine.
    """
    if _LONG_TEXT.search(code):  # in which a line may only look like a comment
        return list(lexed(code))
    lines = code.split("\n")
    rest = iter(lexed("\n".join(line for line in lines if not _COMMENT.match(line))))
    return [
        _comment(*found.groups()) if (found := _COMMENT.match(line)) else next(rest)
        for line in lines
    ]


@lru_cache(maxsize=1024)
def lexed(code: str) -> tuple[Markup, ...]:
    """The lines of code in colour, comments and all."""
    html = _KIND.sub(_shown_kind, highlight(code, _LEXER, _FORMATTER))
    joined = 1
    while joined:
        html, joined = _NEIGHBOURS.subn(r"\1", html)
    return tuple(Markup(row) for row in html.split("\n"))


_KIND = re.compile(r'<span class="(\w+)">([^<]*)</span>')
_NEIGHBOURS = re.compile(r'(<span class="(\w+)">[^<]*)</span><span class="\2">')
_SHOWN = {"kn": "k", "mf": "m", "mi": "m", "s1": "s", "s2": "s", "si": "s"}
"""Of kinds of words that have the same colour, the one that stands for all."""
_UNCOLOURED = frozenset({"kc", "n", "nn", "o", "ow", "p", "sa", "vm", "w"})


def _shown_kind(found: re.Match[str]) -> str:
    kind, word = found.groups()
    return word if kind in _UNCOLOURED else f'<span class="{_SHOWN.get(kind, kind)}">{word}</span>'


def _comment(blanks: str, text: str) -> Markup:
    return Markup(f'{blanks}<span class="c1">{escape(text, quote=False)}</span>')


def tabs(blocks: Sequence[tuple[str, Markup]], kind: str, count: int) -> Markup:
    """Tabs: `blocks` are labels and contents; it is the `count`-th of its `kind` on the page.

    Only the first is searched: the others hold the same code, or figures of another machine.
    """
    return fill("tabs.html", blocks=blocks, kind=kind, count=count)


def command(snippet: Snippet) -> str:
    """How to run the file, where that is not `python file.py`."""
    return torchrun(snippet) if snippet.needs.kind == "torchrun" else ""

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
    if option == "show: download":
        code = Markup()
    elif option == "show: guess":
        code, title = _guess(shown, title, say), ""  # it tells what is to be guessed
    else:
        fold = say("frame") if snippet.needs.kind == "torchrun" else ""
        code = _code([(label, code_block(text, fold)) for label, text in shown], count)
    return fill(
        "snippet.html",
        say=say,
        name=snippet.name,
        file=snippet.path.name,
        title=title,
        code=code,
        command=command(snippet),
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

    Names, operators, punctuation and blanks have the colour of code and need no element: they are
    most of the words, and with one each a page would be a fifth larger.
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
        return list(_lexed(code))
    lines = code.split("\n")
    rest = iter(_lexed("\n".join(line for line in lines if not _COMMENT.match(line))))
    return [
        _comment(*found.groups()) if (found := _COMMENT.match(line)) else next(rest)
        for line in lines
    ]


@lru_cache(maxsize=1024)
def _lexed(code: str) -> tuple[Markup, ...]:
    html = highlight(code, _LEXER, _FORMATTER)
    plain = re.sub(r'<span class="[nopw]">([^<]*)</span>', r"\1", html)
    return tuple(Markup(row) for row in plain.split("\n"))


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

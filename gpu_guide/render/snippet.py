"""A snippet as a page shows it: code, output per machine, download, how to run it, where it ran."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TypeVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from gpu_guide.problems import fault
from gpu_guide.records import evidence
from gpu_guide.records.evidence import further_needs, runs, stale_claims
from gpu_guide.records.store import Record
from gpu_guide.snippets.model import Language, Snippet

_Words = TypeVar("_Words")

_WORDS = {
    "zh": {"download": "下载 {file}", "run": "运行："},
    "en": {"download": "Download {file}", "run": "Run: "},
}


def figure(
    snippet: Snippet, lang: Language, records: list[Record], count: int, *, code: bool = True
) -> str:
    """The HTML of one snippet: the `count`-th of its page."""
    words = _spoken(_WORDS, lang, __file__)
    machines = runs(snippet, records)
    for run in machines:
        _spoken(run.label, lang, evidence.__file__)
    file = snippet.path.name
    parts = [
        f'<figure class="snippet" data-snippet="{snippet.name}">',
        f'<figcaption class="snippet__title"><span>{_title(snippet.title[lang])}</span> '
        f'<a class="snippet__download" href="%SNIPPETS%/{snippet.name}.py" download '
        f'aria-label="{words["download"].format(file=file)}">{file}</a></figcaption>',
    ]
    if code:
        blocks = [(run.label[lang], code_block(snippet.code(lang, run.prints))) for run in machines]
        parts.append(blocks[0][1] if len(blocks) == 1 else tabs(blocks, "snippet", count))
    command = _command(snippet)
    if command:
        parts.append(f'<p class="snippet__run">{words["run"]}<code>{command}</code></p>')
    claims = [claim for run in machines for claim in run.claims[lang]]
    claims += stale_claims(snippet, records)[lang] + further_needs(snippet)[lang]
    line = '<span class="snippet__sep"> · </span>'.join(f"<span>{escape(c)}</span>" for c in claims)
    parts.append(f'<p class="snippet__evidence">{line}</p>')
    return "\n".join([*parts, "</figure>"])


def _spoken(words: Mapping[str, _Words], lang: Language, file: str) -> _Words:
    """The words of a language. Raises GuideError that names the `file` where they belong."""
    if lang not in words:
        remedy = f"add them there, beside those in {', '.join(words)}"
        raise fault(Path(file), None, f"no words in {lang!r}", remedy)
    return words[lang]


def _title(text: str) -> str:
    """A title as HTML: no full stop at its end, and what stands in backquotes is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text.rstrip(".。")))


@lru_cache(maxsize=2048)
def code_block(code: str) -> str:
    """Highlighted Python in which each `#>` line is one element, its line end included.

    Names, operators, punctuation and blanks have the colour of code and need no element: they are
    most of the words, and with one each a page would be a fifth larger.
    """
    coloured = highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    rows = re.sub(r'<span class="[nopw]">([^<]*)</span>', r"\1", coloured).split("\n")
    html = ""
    for row, line in zip(rows, code.rstrip("\n").split("\n"), strict=False):
        if line.lstrip(" ").startswith("#>"):
            html += f'<span class="snippet__output">{escape(line)}\n</span>'
        else:
            html += row + "\n"
    return (
        f'<div class="language-python highlight"><pre><span></span><code>{html}</code></pre></div>'
    )


def tabs(blocks: list[tuple[str, str]], kind: str, count: int) -> str:
    """Tabs as pymdownx.tabbed (alternate style) writes them, which the theme can already show.

    `blocks` are labels and contents; it is the `count`-th of its `kind` on the page. Only the first
    is searched: the others hold the same code, or figures of another machine.
    """
    group = f"__{kind}_{count}"
    inputs = "".join(
        f'<input{" checked" if index == 1 else ""} id="{group}_{index}" name="{group}" '
        'type="radio">'
        for index in range(1, len(blocks) + 1)
    )
    labels = "".join(
        f'<label for="{group}_{index}">{escape(label)}</label>'
        for index, (label, _) in enumerate(blocks, 1)
    )
    contents = "".join(
        f'<div class="tabbed-block"{" data-search-exclude" if index else ""}>{block}</div>'
        for index, (_, block) in enumerate(blocks)
    )
    return (
        f'<div class="tabbed-set tabbed-alternate" data-tabs="{count}:{len(blocks)}">{inputs}'
        f'<div class="tabbed-labels">{labels}</div>'
        f'<div class="tabbed-content">{contents}</div></div>'
    )


def _command(snippet: Snippet) -> str:
    """How to run the file, where that is not `python file.py`."""
    if snippet.needs.kind == "torchrun":
        return f"torchrun --nproc-per-node={snippet.needs.count} {snippet.path.name}"
    return ""

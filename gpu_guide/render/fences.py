"""The fences that the guide renders itself, as custom fences of pymdownx.superfences.

Superfences hands over a fence's text, and neither the page nor the line. So the page is read
before it by pages/lines.py, from which the checks know fences, too: that gives the line of each,
and refuses what a page would show as text. After the conversion, each has to be in the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE, HtmlStash
from pymdownx.superfences import SuperFencesCodeExtension

from gpu_guide.pages.lines import INDENTED, Fence, scan
from gpu_guide.problems import GuideError, Problem

Render = Callable[[list[str], int], str]
"""From the lines of a fence that say something, and its number among its kind on the page, to HTML.
Raises GuideError: the fence's place is added to problems that name no file."""


def render_fences(md: Markdown, renderers: Mapping[str, Render], pages: Path) -> None:
    """Have superfences take the fences, and `renderers` make HTML of those of their kinds.

    `pages` is the folder of the pages: only to name one in an error.
    """
    fences = _Fences(renderers, pages)
    custom = [{"name": kind, "class": "", "format": fences.format} for kind in renderers]
    SuperFencesCodeExtension(custom_fences=custom).extendMarkdown(md)
    # Superfences is at 25, and line ends are made equal at 30.
    md.preprocessors.register(_Before(fences), "guide-fences-located", 27)
    md.preprocessors.register(_After(fences), "guide-fences-rendered", 24)
    md.treeprocessors.register(_Shown(md, fences), "guide-fences-shown", -10)


class _Fences:
    """The guide's fences of the page that is being converted."""

    def __init__(self, renderers: Mapping[str, Render], pages: Path) -> None:
        self.renderers, self.pages = renderers, pages

    def locate(self, lines: list[str]) -> None:
        """Begin a page. Raises GuideError for a fence that it would show as text."""
        self.lines = lines
        self.error: Exception | None = None
        self.waiting: list[Fence] = []
        self.counts: Counter[str] = Counter()
        self.rendered: list[tuple[Fence, str]] = []
        for fence in scan("\n".join(lines), front=False)[1]:
            if misread := fence.misread(self.renderers):
                raise self.fault(fence, *misread)
            if fence.language in self.renderers:
                if not fence.closed:
                    raise self.fault(fence, "the fence is not closed", "end it with ```")
                self.waiting.append(fence)

    def format(self, source: str, language: str, *_: Any, **__: Any) -> str | None:
        """What superfences calls with each fence, top down. None leaves one as it is.

        Nothing is raised in here, where superfences would take it for a fence that is none.
        """
        body = _body(source.split("\n"))
        for index, fence in enumerate(self.waiting):
            if fence.language == language and _body(fence.content) == body:
                del self.waiting[: index + 1]
                break
        else:
            return None  # in a comment
        self.counts[language] += 1
        try:
            html = self.renderers[language](body, self.counts[language])
        except GuideError as error:
            problems = (
                self.located(fence, problem)
                if isinstance(problem, Problem) and problem.file is None
                else problem
                for problem in error.problems
            )
            self.error = self.error or GuideError(*problems)
            return ""
        except Exception as error:
            self.error = self.error or error
            return ""
        self.rendered.append((fence, html))
        return html

    def check(self, root: Element, stash: HtmlStash) -> None:
        """Raise GuideError for a fence whose HTML is nowhere in the page's tree."""
        shown: Counter[str] = Counter()
        found: list[Element | str] = [root]
        for block in found:  # raw HTML may hold raw HTML: the list grows
            text = block if isinstance(block, str) else "\n".join(block.itertext())
            found += [stash.rawHtmlBlocks[int(n)] for n in HTML_PLACEHOLDER_RE.findall(text)]
        shown.update(block for block in found if isinstance(block, str))
        for fence, html in self.rendered:
            shown[html] -= 1
            if shown[html] < 0:
                raise self.fault(fence, *INDENTED)
        for fence in self.waiting:
            raise self.fault(fence, *INDENTED)

    def fault(self, fence: Fence, what: str, remedy: str) -> GuideError:
        return GuideError(self.located(fence, Problem(None, None, what, remedy)))

    def located(self, fence: Fence, problem: Problem) -> Problem:
        """The problem with page and line. An extension is given the text alone, without front
        matter: look it up."""
        text = "\n".join(self.lines).strip("\n")
        skipped = len(self.lines) - len("\n".join(self.lines).lstrip("\n").split("\n"))
        for page in sorted(self.pages.rglob("*.md")):
            whole = page.read_text(encoding="utf-8").replace("\r\n", "\n")
            if text and (start := whole.find(text)) >= 0:
                line = whole[:start].count("\n") + fence.line - skipped
                return replace(problem, file=page, line=line)
        return replace(problem, what=f"line {fence.line} of the page's text: {problem.what}")


def _body(content: list[str] | tuple[str, ...]) -> list[str]:
    """The lines that say something, without the marks of a quote around them."""
    return [text for line in content if (text := line.strip(" \t>"))]


class _Before(Preprocessor):
    def __init__(self, fences: _Fences) -> None:
        super().__init__()
        self.fences = fences

    def run(self, lines: list[str]) -> list[str]:
        """Locate the fences."""
        self.fences.locate(lines)
        return lines


class _After(_Before):
    def run(self, lines: list[str]) -> list[str]:
        """Raise what went wrong while superfences had them rendered."""
        if self.fences.error is not None:
            raise self.fences.error
        return lines


class _Shown(Treeprocessor):
    def __init__(self, md: Markdown, fences: _Fences) -> None:
        super().__init__(md)
        self.fences = fences

    def run(self, root: Element) -> None:
        """Look for each."""
        self.fences.check(root, self.md.htmlStash)

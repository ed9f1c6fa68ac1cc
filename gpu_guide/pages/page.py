"""One page of the guide: its headings, fences, links and skeleton, and the line of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from gpu_guide import fast_yaml
from gpu_guide.pages.lines import Fence, Line, mask_code, scan
from gpu_guide.problems import GuideError, Problem, fault
from gpu_guide.project import Project

_HEADING = re.compile(r"^[ \t>]*(?P<marks>#{1,6})(?P<text>[^#\n].*?)\s*#*\s*$")
ATTRIBUTES = re.compile(r"\{:?[ ]*(?=[#.])([^{}\n]*)\}")
_ID = re.compile(r"#([^\s{}]+)")
BLOCK = re.compile(
    r"^(?P<indent>[ >]*)(?P<marks>!!!|\?\?\?\+?|===[!+]?)[ ]+"
    r"(?P<kind>[\w][\w -]*)?[ ]*(?P<title>\"[^\n]*\")?\s*$"
)
_TABLE_RULE = re.compile(r"^[ >]*(?=[^\n]*\|)\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?\s*$")
_CONTAINER = re.compile(r"^\s*(?:[-*+][ ]|\d+\.[ ]|\[\^[^\]]+\]:|:[ ])")
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|!?\[[^\[\]]*\](?:\([^()]*\))?)*)\]"
    r"(?:\([ ]*<?(?P<target>[^()\s<>]*(?:\([^()]*\)[^()\s<>]*)*)>?(?:\s+[\"'][^\n]*?[\"'])?[ ]*\)"
    r"|\[(?P<reference>[^\[\]]*)\])"
)
_DEFINITION = re.compile(r"^[ ]*\[(?!\^)(?P<text>[^\]]+)\]:[ ]*<?(?P<target>\S+?)>?(?=\s|$)", re.M)
_HTML = re.compile(r"<(?P<tag>a|img)\b(?P<attributes>[^>]*)>(?:(?P<text>.*?)</a>)?", re.I | re.S)
_VAGUE = re.compile(
    r"(?:click )?here|this(?: page)?|link|(?:read )?more|点击?这里|点击?此处|点此|这里|此处|链接"
)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")


@dataclass(frozen=True)
class Heading:
    """A heading: `text` is without its attribute list, `id` is the explicit one."""

    level: int
    text: str
    id: str | None
    line: int


@dataclass(frozen=True)
class SnippetUse:
    """A fence that names a snippet, with the options below the name."""

    name: str
    options: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Link:
    """A link (`text` is what the reader clicks) or an image (`text` is its alternative text)."""

    text: str
    target: str
    line: int
    image: bool = False
    definition: bool = False
    """Whether it is `[text]: target`, where the text is a label that nobody sees."""


@dataclass(frozen=True)
class Block:
    """A part of the skeleton that both languages share: an admonition, a tab or a table."""

    what: str
    line: int


@dataclass(frozen=True)
class Page:
    """One parsed page."""

    path: Path
    address: str
    """The path inside docs/<language>, such as "check/index.md"."""
    front: dict[str, Any]
    front_lines: dict[str, int]
    lines: tuple[Line, ...]
    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]
    links: tuple[Link, ...]
    skeleton: tuple[Block, ...]
    ids: tuple[tuple[str, int], ...]
    """Every explicit id and its line: of headings, and of anything else that is given one."""
    indented_code: tuple[int, ...]

    @property
    def named(self) -> str:
        """The address by which nav and links name it: a lab is named by its notebook."""
        lab = self.address.startswith("labs/") and self.address != "labs/index.md"
        return re.sub(r"\.md$", ".ipynb", self.address) if lab else self.address

    @property
    def title(self) -> str:
        """The front matter's title, or else the first heading's text; empty without either."""
        top = next((heading.text for heading in self.headings if heading.level == 1), "")
        return str(self.front.get("title") or top)

    @property
    def description(self) -> str:
        """The front matter's description, or nothing."""
        return str(self.front.get("description") or "")

    @property
    def snippets(self) -> tuple[SnippetUse, ...]:
        """The snippets that the page shows, top down. An empty fence has the name ""."""
        found = []
        for fence in self.fences:
            if fence.language == "snippet":
                body = [line.strip() for line in fence.content if line.strip()]
                found.append(SnippetUse(body[0] if body else "", tuple(body[1:]), fence.line))
        return tuple(found)


Pages = dict[str, dict[str, Page]]
"""By language and address inside docs/<language>, such as "check/index.md"."""


def load_pages(project: Project) -> tuple[Pages, list[Problem]]:
    """The pages of the project, and what is wrong with those that cannot be read."""
    docs = project.docs
    pages: Pages = {lang: {} for lang in project.languages}
    problems: list[Problem] = []
    for lang in pages:
        for path in sorted((docs / lang).rglob("*.md")):
            try:
                pages[lang][path.relative_to(docs / lang).as_posix()] = parse(path, docs / lang)
            except GuideError as error:
                problems += error.problems
    return pages, problems


def parse(path: Path, root: Path | None = None) -> Page:
    """Read one page, whose address is its path inside `root` (default: its folder).

    Raises GuideError if it is not UTF-8 or its front matter is not a mapping.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise fault(path, line, "not UTF-8", "save the file as UTF-8") from None
    return _parsed(path, path.relative_to(root or path.parent).as_posix(), text)


@lru_cache(maxsize=1024)
def _parsed(path: Path, address: str, text: str) -> Page:
    """The page that `text` makes: several checks read the same pages, one after another."""
    lines, fences = scan(text)
    front, front_lines = _front_matter(path, lines)
    prose = "\n".join(line.text if line.kind == "prose" else "" for line in lines)
    masked = mask_code(prose)
    return Page(
        path=path,
        address=address,
        front=front,
        front_lines=front_lines,
        lines=lines,
        headings=tuple(_headings(lines)),
        fences=fences,
        links=tuple(_links(prose, masked)),
        skeleton=tuple(_skeleton(lines)),
        ids=tuple(_ids(masked)),
        indented_code=tuple(_indented_code(lines)),
    )


def is_vague(text: str) -> bool:
    """Whether a link's text leaves open what it leads to: "here", 点击这里."""
    return bool(_VAGUE.fullmatch(re.sub(r"[`*_\s]+", " ", text).strip(" 。.…»→").lower()))


def _front_matter(path: Path, lines: tuple[Line, ...]) -> tuple[dict[str, Any], dict[str, int]]:
    rows = [line.text for line in lines if line.kind == "front"]
    if not rows:
        return {}, {}
    remedy = "write 'key: value' lines between two '---' lines"
    try:
        front = fast_yaml.load("\n".join(rows[1:-1])) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1
        raise fault(path, line, "front matter is not YAML", remedy) from None
    if not isinstance(front, dict):
        raise fault(path, 1, "front matter is not a mapping", remedy)
    keys: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        key, colon, _ = row.partition(":")
        if colon and key.strip() in keys and not key.startswith((" ", "-", "#")):
            what = f"key {key.strip()!r} twice, first on line {keys[key.strip()]}"
            raise fault(path, number, what, "delete one of them")
        keys |= {key.strip(): number} if colon else {}
    return front, keys


def _headings(lines: tuple[Line, ...]) -> Iterator[Heading]:
    for line in lines:
        match = _HEADING.match(line.text) if line.kind == "prose" else None
        if match is None:
            continue
        attributes = ATTRIBUTES.search(mask_code(match["text"]))
        text = match["text"][: attributes.start()] if attributes else match["text"]
        found = _ID.search(attributes[1]) if attributes else None
        yield Heading(len(match["marks"]), text.strip(), found[1] if found else None, line.number)


def _ids(masked: str) -> Iterator[tuple[str, int]]:
    pattern = re.compile(ATTRIBUTES.pattern + r"|<[a-zA-Z][^>]*\sid=[\"']([^\"']+)[\"']")
    for match in pattern.finditer(masked):
        line = masked.count("\n", 0, match.start()) + 1
        for name in [match[2]] if match[2] else _ID.findall(match[1]):
            yield name, line


def _links(prose: str, masked: str) -> Iterator[Link]:
    def place(match: re.Match[str]) -> int:
        return masked.count("\n", 0, match.start()) + 1

    def text_of(match: re.Match[str]) -> str:
        return prose[match.start("text") : match.end("text")].strip() if match["text"] else ""

    for match in _LINK.finditer(masked):
        target, image = match["target"], bool(match["image"])
        if target is None:
            target = f"[{match['reference'] or match['text']}]"
        yield Link(text_of(match), target, place(match), image)
        for inner in _LINK.finditer(match["text"]):
            if inner["target"] is not None:
                yield Link(inner["text"].strip(), inner["target"], place(match), True)
    for match in _DEFINITION.finditer(masked):
        yield Link(match["text"], match["target"], place(match), definition=True)
    for match in _HTML.finditer(masked):
        values = {k.lower(): v.strip("\"'") for k, v in _ATTRIBUTE.findall(match["attributes"])}
        if match["tag"].lower() == "img":
            yield Link(values.get("alt", ""), values.get("src", ""), place(match), True)
        elif "href" in values:
            yield Link(re.sub(r"<[^>]*>", "", text_of(match)), values["href"], place(match))


def _skeleton(lines: tuple[Line, ...]) -> Iterator[Block]:
    for index, line in enumerate(lines):
        if line.kind != "prose":
            continue
        block = BLOCK.match(line.text)
        if block and block["marks"].startswith("==="):
            if block["title"]:
                yield Block("tab", line.number)
        elif block:
            yield Block(f"{block['marks']} {(block['kind'] or '').strip()}", line.number)
        elif _TABLE_RULE.match(line.text) and index and lines[index - 1].kind == "prose":
            columns = len(line.text.strip(" >\t|").split("|"))
            rows = 0
            while index + rows + 1 < len(lines) and lines[index + rows + 1].kind == "prose":
                rows += 1
            yield Block(f"table of {columns} columns and {rows} rows", index)


def _indented_code(lines: tuple[Line, ...]) -> Iterator[int]:
    """The first line of each block that is code because it is indented, a fence among them."""
    stack: list[int] = []
    after_blank, in_code, in_fence = True, False, False
    for line in lines:
        opens = line.kind == "fence" and not in_fence
        in_fence = line.kind == "code" or opens
        if line.kind != "prose" and not opens:
            after_blank = after_blank or line.kind in ("blank", "fence")
            continue
        indent = len(line.text) - len(line.text.lstrip(" "))
        while stack and indent < stack[-1] and after_blank:
            stack.pop()
        base = stack[-1] if stack else 0
        if opens:
            if after_blank and indent - base >= 4:
                yield line.number
            continue
        if after_blank and indent - base >= 4 and not line.text.lstrip().startswith("<"):
            if not in_code:
                yield line.number
            in_code = True
        else:
            in_code = in_code and not after_blank
        if BLOCK.match(line.text) or _CONTAINER.match(line.text):
            while stack and indent < stack[-1]:
                stack.pop()
            stack.append((stack[-1] if stack else 0) + 4)
            after_blank = bool(BLOCK.match(line.text))
        else:
            after_blank = False

"""Typography of Chinese: spaces, full-width punctuation, quotes, the glossary's words.

    check_markdown(text)   a page or a README: also inside admonitions, tabs, tables, lists, quotes
    check_snippet(source)  the title and the `# zh:` comments of a snippet
    check_yaml(text)       every Chinese string of a YAML file
    check_text(text)       plain lines

Only lines with a Chinese character are looked at, so an English page passes through unseen. Code,
mathematics, addresses and markup are made unreadable first: the rules see what a reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import yaml

from gpu_guide import fast_yaml
from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.pages import style
from gpu_guide.pages.lines import FULL, Line, mask_code, scan, units, visible
from gpu_guide.pages.page import is_vague
from gpu_guide.project import HERE, about

HAN = r"[\u3400-\u9fff]"
_LANGUAGE = next(language for language in HERE.languages if about(language).han)
_HAN = re.compile(HAN)
_LATIN = r"A-Za-z0-9`"


@dataclass(frozen=True)
class Finding:
    """One breach of a rule; `excerpt` is the place with a few characters around it."""

    line: int
    rule: str
    excerpt: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.line}: {self.rule} …{self.excerpt}… — {self.remedy}"


@dataclass(frozen=True)
class _Rule:
    name: str
    pattern: re.Pattern[str]
    remedy: str


@dataclass(frozen=True, eq=False)
class _Words:
    """What a glossary says of words: each pattern with what to write for what it finds."""

    wrong: re.Pattern[str]
    for_wrong: dict[str, str]
    english: re.Pattern[str]
    for_english: dict[str, str]
    longest_first: tuple[str, ...]


def _rule(name: str, pattern: str, remedy: str) -> _Rule:
    return _Rule(name, re.compile(pattern), remedy)


_RULES = (
    _rule(
        "Z01",
        rf"(?:{HAN}|[）”》])(?:[,;:?!](?!//)|\.(?=\s|$))",
        "half-width punctuation after Chinese: write ，。：；？！",
    ),
    _rule(
        "Z02",
        rf"[{_LATIN})][,;:?!](?=\s*{HAN})|(?<![.\d])[{_LATIN})]\.$"
        rf"|(?<=[{_LATIN}])[,;]\s(?=[{_LATIN}][^，。：；？！（）]*{HAN})",
        "half-width punctuation in a Chinese sentence: write ，。：；？！, and 、 in a list",
    ),
    _rule(
        "Z03",
        rf"{HAN}\s?\((?!http)|\)(?={HAN})|\([^()]*{HAN}[^()]*\)|[{_LATIN}] \(",
        "half-width brackets in Chinese: write （…）",
    ),
    _rule("Z04", rf"\"|'[^']*{HAN}[^']*'|[「」『』]", "write quotes as “…” and ‘…’, or mark code"),
    _rule(
        "Z05",
        rf"(?<=\S)[ \t]+[{FULL}]|[{FULL}][ \t]+(?=\S)",
        "no space beside full-width punctuation",
    ),
    _rule("Z06", r"[！？。，；：、]{2,}|(?<!…)…(?!…)", "one punctuation mark is enough; …… is two"),
    _rule("Z07", rf"(?<={HAN})(?:\s?\.{{2,}}|--+)|(?<!—)—(?!—)", "write …… and ——"),
    _rule("Z08", r"[Ａ-Ｚａ-ｚ０-９]+", "write letters and digits half-width"),
    _rule("Z09", r"[A-Za-z_]（[^）]*['\"][^）]*）", "a call has half-width brackets"),
    _rule("Z10", r"\d\s+[%℃°]", "no space before % ℃ °"),
    _rule(
        "Z10",
        r"(?<![\w.-])\d+(?:\.\d+)?(?:[KMGT]i?B|[kMG]Hz|[munµ]s|T?FLOPS|bit)\b",
        "a space between number and unit",
    ),
    _rule(
        "Z11",
        rf"{HAN}(?=[{_LATIN}$])|[{_LATIN}%$+℃°](?={HAN})",
        "one space between Chinese and Latin letters, digits or code",
    ),
    _rule("Z21", r"\]（[^（）]*）", "a link has half-width brackets: [文字](page.md)"),
    _rule("Z19", rf"{HAN}[ \t]+(?={HAN})", "no space between Chinese characters"),
)
_CODE_PUNCTUATION = re.compile("[（），；：“”。]")
_CODE_LANGUAGES = frozenset({"bash", "powershell", "bat", "json", "toml", "yaml"})
_PYTHON = frozenset({"python", "py"})
_ITALICS = re.compile(
    rf"(?<![*\\A-Za-z0-9])\*(?![*\s])[^*]*{HAN}[^*]*\*(?!\*)|(?<![\w\\])_(?![_\s])[^_]*{HAN}[^_]*_(?!\w)"
)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_GLOSS = re.compile(rf"({HAN}+)（([A-Za-z][A-Za-z -]+)）")
_NEW_BLOCK = re.compile(
    r"^[ \t>]*(?:[-*+][ ]|\d+[.)][ ]|#|\||!!!|\?\?\?|===|<|\*?\[[^\]]+\]:|:[ ]|\{|--8<--|---|:\w+-)"
)
_CLOSED_BLOCK = re.compile(r"^[ \t>]*(?:#|\||!!!|\?\?\?|===|\*\[|--8<--|---|\{|<[^>]*>\s*$)")
_HARD_BREAK = re.compile(r"(?:  |\\|<br ?/?>)$")


def check_markdown(text: str, glossary: tuple[Term, ...] | None = None) -> list[Finding]:
    """The findings in a Markdown text, front matter included, in the order of lines.

    `glossary` replaces data/glossary.yml.
    """
    words = _words(_terms() if glossary is None else glossary)
    lines, fences = scan(text.replace("\r\n", "\n"))
    found: list[Finding] = []
    for line in lines:
        if line.kind in ("front", "prose"):
            for unit in units(line):
                found += _check_unit(line.number, unit, words)
            if line.kind == "prose":
                found += _markup(line)
                found += _untranslated(line, words)
    for fence in fences:
        if fence.language in _PYTHON:
            inside = _in_snippet("\n".join(fence.content), words)
            found += [replace(finding, line=finding.line + fence.line) for finding in inside]
        elif fence.language in _CODE_LANGUAGES:
            found += _code(fence.line + 1, fence.content, words)
    found += _broken_paragraphs(lines)
    found += _repeated_glosses(lines, words)
    return sorted(found, key=lambda finding: finding.line)


def check_text(
    text: str, first_line: int = 1, glossary: tuple[Term, ...] | None = None
) -> list[Finding]:
    """The findings in plain lines, where a word in straight quotes is taken for code."""
    return list(_in_text(text, first_line, _words(_terms() if glossary is None else glossary)))


def check_snippet(source: str, glossary: tuple[Term, ...] | None = None) -> list[Finding]:
    """The findings in the Chinese title and the comments of a snippet's source."""
    return _in_snippet(source, _words(_terms() if glossary is None else glossary))


def check_yaml(text: str, glossary: tuple[Term, ...] | None = None) -> list[Finding]:
    """The findings in the strings (not the comments) of a YAML text. Raises yaml.YAMLError."""
    words = _words(_terms() if glossary is None else glossary)
    found: list[Finding] = []
    for node in _scalars(fast_yaml.compose(text)):
        first = node.start_mark.line + (2 if node.style in ("|", ">") else 1)
        found += _in_text(node.value, first, words)
    return found


def _in_snippet(source: str, words: _Words) -> list[Finding]:
    found: list[Finding] = []
    docstring = re.match(r'"""(.*?)"""', source, re.DOTALL)
    number = 1
    for paragraph in re.split(r"(\n[ \t]*\n)", docstring[1]) if docstring else []:
        if _HAN.search(paragraph):
            start = number + len(paragraph) - len(paragraph.lstrip("\n"))
            found += _in_text(" ".join(paragraph.split()), start, words)
        number += paragraph.count("\n")
    for number, row in enumerate(source.split("\n"), 1):
        comment = _split(row)[1]
        if not comment.startswith(">"):
            found += _in_text(re.sub(r"^ zh: ", "", comment).strip(), number, words)
    return found


def _in_text(text: str, first_line: int, words: _Words) -> Iterator[Finding]:
    for number, row in enumerate(text.split("\n"), first_line):
        row = re.sub(r"\"[ -!#-~]*\"|(?<!\w)'[ -&(-~]*'", "`\0`", row)
        yield from _check_unit(number, row, words)


def _scalars(node: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(item)
    elif isinstance(node, yaml.MappingNode):
        for pair in node.value:
            for item in pair:
                yield from _scalars(item)


def _check_unit(number: int, markup: str, words: _Words) -> Iterator[Finding]:
    text = visible(markup) if _HAN.search(markup) else ""
    if not _HAN.search(text):
        return
    for rule in _RULES:
        for match in rule.pattern.finditer(text):
            yield Finding(number, rule.name, _excerpt(text, match), rule.remedy)
    for match, write in style.wrong(text, _LANGUAGE):
        yield Finding(number, "Z12", _excerpt(text, match), f"write {write}")
    for match in words.wrong.finditer(text):
        if match[0] in words.for_wrong:
            remedy = f"the glossary's word is {words.for_wrong[match[0]]}"
            yield Finding(number, "Z17", _excerpt(text, match), remedy)


@lru_cache(maxsize=1)
def _terms() -> tuple[Term, ...]:
    """This guide's glossary, read once."""
    return load_glossary(HERE)


@lru_cache(maxsize=8)
def _words(glossary: tuple[Term, ...]) -> _Words:
    """Wrong words and the longer right ones around them; English words that Chinese text does not
    keep; the Chinese ones that may accompany an English one."""
    wrong = {word: term.zh for term in glossary for word in term.wrong}
    around = {word for term in glossary for word in term.unless}
    longest_first = sorted({*wrong, *around}, key=len, reverse=True)
    english = {
        word.strip().lower(): term.zh
        for term in glossary
        if not term.keep_english and _HAN.search(term.zh)
        for word in re.sub(r" ?\(.*", "", term.en).split(" / ")
        if re.fullmatch(r"[a-z][a-z -]{3,}", word.strip())
    }
    any_english = "|".join(map(re.escape, sorted(english, key=len, reverse=True))) or "(?!)"
    known = {re.sub(r"（.*", "", term.zh) for term in glossary if _HAN.search(term.zh)}
    return _Words(
        re.compile("|".join(map(re.escape, longest_first)) or r"(?!)"),
        wrong,
        re.compile(rf"(?<![\w./-])({any_english})s?(?![\w./-])"),
        english,
        tuple(sorted(known, key=len, reverse=True)),
    )


def _markup(line: Line) -> Iterator[Finding]:
    masked = mask_code(line.text)
    for match in _ITALICS.finditer(masked):
        remedy = "no italics in Chinese: write **bold** or nothing"
        yield Finding(line.number, "Z16", _excerpt(masked, match), remedy)
    for match in _LINK.finditer(masked):
        if is_vague(match[1]):
            remedy = "let the text name what the link leads to"
            yield Finding(line.number, "Z15", match[0], remedy)


def _untranslated(line: Line, words: _Words) -> Iterator[Finding]:
    """English words of terms that have Chinese ones; in brackets they may follow those.

    In paragraphs only: comments and titles name parameters and messages, and cannot mark code.
    """
    if not _HAN.search(line.text):
        return
    beside = r"[（(][^）)]*[）)]|“[^”]*”|`[^`]*`|《[^》]*》|\[[^\]]*\]"
    text = re.sub(beside, "，", visible(line.text))
    for match in words.english.finditer(text):
        remedy = f"the glossary's word is {words.for_english[match[1].lower()]}"
        yield Finding(line.number, "Z20", _excerpt(text, match), remedy)


def _code(first: int, rows: Iterable[str], words: _Words) -> Iterator[Finding]:
    for number, row in enumerate(rows, first):
        code, comment = _split(row)
        for match in _CODE_PUNCTUATION.finditer(code):
            yield Finding(number, "Z13", _excerpt(code, match), "code has half-width punctuation")
        yield from _in_text(comment.strip(), number, words)


def _split(row: str) -> tuple[str, str]:
    """The code of a row, its strings emptied, and the comment behind it."""
    match = re.match(r"((?:\"[^\"]*\"|'[^']*'|[^\"'#]|[\"'])*?)(?:#(.*))?$", row)
    code, comment = (match[1], match[2] or "") if match else (row, "")
    return re.sub(r"\"[^\"]*\"|'[^']*'", '""', code), comment


def _broken_paragraphs(lines: tuple[Line, ...]) -> Iterator[Finding]:
    for above, line in pairwise(lines):
        if above.kind != "prose" or line.kind != "prose":
            continue
        if not _HAN.search(above.text) and not _HAN.search(line.text):
            continue
        if _CLOSED_BLOCK.match(above.text) or _HARD_BREAK.search(above.text):
            continue
        if not _NEW_BLOCK.match(line.text):
            remedy = "a Chinese paragraph is one source line: a line break is shown as a space"
            yield Finding(line.number, "Z14", line.text.strip()[:16], remedy)


def _repeated_glosses(lines: tuple[Line, ...], words: _Words) -> Iterator[Finding]:
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        if line.kind != "prose" or "（" not in line.text or line.text.lstrip().startswith("#"):
            continue
        text = visible(line.text)
        for match in _GLOSS.finditer(text):
            word = next((w for w in words.longest_first if match[1].endswith(w)), None)
            if word is None:
                continue
            key = (word, match[2].lower())
            if key in seen:
                remedy = f"the English word stands by the first use only, on line {seen[key]}"
                yield Finding(line.number, "Z18", match[0], remedy)
            seen.setdefault(key, line.number)


def _excerpt(text: str, match: re.Match[str]) -> str:
    return re.sub("\0+", "…", text[max(0, match.start() - 8) : match.end() + 6]).strip()

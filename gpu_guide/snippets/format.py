"""The rules of a snippet file, one function each: what is read from its text and what is refused.

`gpu_guide.snippets.model` puts them together; nothing else needs to know them.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import unicodedata
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gpu_guide.problems import fault
from gpu_guide.project import about

MAX_COLUMNS = 80
MAX_OUTPUT_COLUMNS = 120
ALLOWED_PACKAGES = frozenset({"torch", "numpy"})

HAN = re.compile(r"[\u3400-\u9fff]")
OUTPUT = re.compile(r"#>( |$)")
_HEADER = re.compile(r"# (?P<key>[a-z]+): (?P<value>\S.*)")
_CONTINUED = re.compile(r"#   +(?P<text>\S.*)")
_TOOL_COMMENT = re.compile(r"# (noqa|type: ignore|fmt: )")
_IMPORTERS = frozenset({"__import__", "import_module", "run_module"})
"""What imports the module that its first argument names."""
_COUNTED_NEED = re.compile(r"(?P<kind>cuda|torchrun)(?::(?P<count>[1-9]))?")
_ARCHITECTURE = re.compile(r"sm_(?P<major>\d{1,2})(?P<minor>\d)")


@dataclass(frozen=True)
class Needs:
    """What a snippet needs in order to run: nothing, GPUs, processes, and more of the machine."""

    kind: Literal["any", "cuda", "torchrun"] = "any"
    count: int = 1
    linux: bool = False
    capability: tuple[int, int] | None = None
    """The lowest compute capability that will do."""
    triton: bool = False
    """Triton, and the C compiler that it calls."""
    no_wddm: bool = False
    """Neither Windows nor WSL2: their driver lends system memory where GPU memory is used up."""

    def __str__(self) -> str:
        words = [f"{self.kind}:{self.count}" if self.count > 1 else self.kind]
        if self.capability:
            words.append("sm_{}{}".format(*self.capability))
        words += ["triton"] if self.triton else []
        words += ["no-wddm"] if self.no_wddm else []
        words += ["linux"] if self.linux else []
        return ", ".join(words)


@dataclass(frozen=True)
class Printed:
    """All that one print statement printed, line by line and without the last line's end.

    `statement` counts the file's prints from 0, top down. A statement that never ran has none.
    """

    statement: int
    text: str


@dataclass(frozen=True)
class PrintStatement:
    """Where a `print(...)` statement stands: lines are counted from 1, `indent` in columns."""

    first: int
    last: int
    indent: int


def read(path: Path) -> str:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise fault(path, line, "not UTF-8", "save the file as UTF-8") from None
    if text.startswith("\ufeff"):
        raise fault(path, 1, "starts with a byte order mark", "save as UTF-8 without BOM")
    text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            raise fault(path, number, "a tab", "indent with four spaces; write \\t in text")
    return text


def _comment(text: str, languages: Sequence[str]) -> re.Match[str] | None:
    """A comment line in one of the languages."""
    return re.match(rf"# (?P<lang>{'|'.join(languages)}): (?P<text>\S.*)", text)


def _begins(languages: Sequence[str]) -> str:
    return " and ".join(f"'# {language}: …'" for language in languages)


def _foreign(text: str, language: str) -> bool:
    """Whether `text` is seen to be in another language: by its script."""
    return about(language).han not in (None, bool(HAN.search(text)))


def title(path: Path, tree: ast.Module, languages: Sequence[str]) -> tuple[dict[str, str], int]:
    """The docstring's paragraphs, one a language, in the order of the languages' codes."""
    ordered = sorted(languages)
    names = [about(language).name for language in ordered]
    remedy = "begin with a docstring: " + ", an empty line, ".join(
        f"the title in {n}" for n in names
    )
    doc = ast.get_docstring(tree)
    if doc is None:
        raise fault(path, 1, "no docstring", remedy)
    end = tree.body[0].end_lineno or 1
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", doc.strip())]
    found = dict(zip(ordered, paragraphs, strict=False))
    if len(paragraphs) != len(ordered) or any(_foreign(found[one], one) for one in found):
        what = f"the docstring is not a title in {' and then one in '.join(names)}"
        raise fault(path, 1, what, remedy)
    return found, end


def whole_line_comments(path: Path, source: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.line[: token.start[1]].strip():
            if not _TOOL_COMMENT.match(token.string):
                raise fault(
                    path,
                    token.start[0],
                    "a comment behind code",
                    "put a comment line in each language above the code",
                )
        else:
            found[token.start[0]] = token.string
    return found


def header(
    path: Path, comments: dict[int, str], end: int, languages: Sequence[str]
) -> tuple[dict, int]:
    """The data lines right below the docstring, and the last line of all that."""
    header: dict = {}
    while (text := comments.get(end + 1)) is not None and not _comment(text, languages):
        match = _HEADER.match(text)
        if not match or match["key"] not in _KEYS:
            raise fault(
                path,
                end + 1,
                f"not a data line: {text!r}",
                f"known keys are {', '.join(_KEYS)}; comments begin with {_begins(languages)}",
            )
        header[match["key"]] = _KEYS[match["key"]](path, end + 1, match["value"].strip())
        end += 1
    return header, end


def _needs(path: Path, line: int, value: str) -> Needs:
    kinds: dict[str, int] = {}
    more: dict[str, Any] = {}
    for word in re.split(r"[,\s]+", value):
        if match := _COUNTED_NEED.fullmatch(word):
            kinds[match["kind"]] = int(match["count"] or 1)
        elif match := _ARCHITECTURE.fullmatch(word):
            more["capability"] = int(match["major"]), int(match["minor"])
        elif word in ("linux", "triton", "no-wddm"):
            more[word.replace("-", "_")] = True
        else:
            raise fault(
                path,
                line,
                f"unknown need {word!r}",
                "write cuda, cuda:2 or torchrun:2, and behind it sm_80, triton, no-wddm or linux",
            )
    if {"cuda", "torchrun"} <= kinds.keys():
        raise fault(path, line, "needs both cuda and torchrun", "torchrun:N is enough")
    if kinds.get("torchrun") == 1:
        raise fault(path, line, "torchrun without a number", "write torchrun:2")
    of_a_gpu = more.keys() - {"linux"}
    if of_a_gpu and "cuda" not in kinds:
        raise fault(
            path,
            line,
            "sm_80, triton and no-wddm without cuda",
            "they are about a GPU: write cuda, too",
        )
    kind = next((k for k in ("cuda", "torchrun") if k in kinds), "any")
    return Needs(kind, kinds.get(kind, 1), **more)


def _yes_or_no(path: Path, line: int, value: str) -> bool:
    if value not in ("yes", "no"):
        raise fault(path, line, f"{value!r} is neither yes nor no", "write yes or no")
    return value == "yes"


def _exits(path: Path, line: int, value: str) -> frozenset[int]:
    if not re.fullmatch(r"\d+( \d+)*", value):
        raise fault(path, line, f"not exit statuses: {value!r}", "write them as '0 1'")
    return frozenset(int(word) for word in value.split())


LEAVES = ("environment", "files", "threads")
"""What a snippet may leave changed, if that is what it shows."""


def _leaves(path: Path, line: int, value: str) -> frozenset[str]:
    words = re.split(r"[,\s]+", value)
    if unknown := set(words) - set(LEAVES):
        what = f"unknown word {min(unknown)!r} of what it leaves"
        raise fault(path, line, what, f"write some of {', '.join(LEAVES)}")
    return frozenset(words)


_KEYS = {
    "needs": _needs,
    "simulated": _yes_or_no,
    "measures": _yes_or_no,
    "exits": _exits,
    "leaves": _leaves,
}


def pairs(
    path: Path, source: str, comments: dict[int, str], languages: Sequence[str]
) -> dict[int, str]:
    """The language of each comment line, once every `# zh:` has its `# en:` beside it."""
    lines = source.split("\n")
    language: dict[int, str] = {}
    runs: list[tuple[int, str, int, int]] = []
    for number, text in comments.items():
        match = _comment(text, languages)
        indent = len(lines[number - 1]) - len(lines[number - 1].lstrip(" "))
        if match:
            language[number] = match["lang"]
            runs.append((number, match["lang"], indent, number))
        elif _CONTINUED.match(text) and runs and runs[-1][3] == number - 1:
            first, lang, column, _ = runs[-1]
            language[number] = lang
            runs[-1] = (first, lang, column, number)
        elif _HEADER.match(text) and _HEADER.match(text)["key"] in _KEYS:
            raise fault(path, number, "a data line away from the top", "move it up")
        elif not _TOOL_COMMENT.match(text):
            raise fault(
                path,
                number,
                f"a comment in one language: {text!r}",
                f"write a pair {_begins(languages)}; go on with '#   …' (three spaces)",
            )
    for number in language:
        text = comments[number]
        if _comment(text, languages) and _foreign(text, language[number]):
            what = f"not {about(language[number]).name}: {text!r}"
            raise fault(path, number, what, "translate it")
    while runs:
        first, lang, indent, last = runs.pop(0)
        other = runs.pop(0) if runs and runs[0][0] == last + 1 else None
        if other is None or other[1] == lang or other[2] != indent:
            missing = next(one for one in languages if one != lang)
            raise fault(
                path,
                first,
                f"'# {lang}:' without '# {missing}:'",
                f"add '# {missing}: …' on the next line, as far to the right; "
                "whoever reviews it will polish a rough translation",
            )
    return language


def print_statements(tree: ast.Module) -> tuple[PrintStatement, ...]:
    """Every statement `print(...)` of the tree, top down."""
    found = [
        PrintStatement(node.lineno, node.end_lineno or node.lineno, node.col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
    ]
    return tuple(sorted(found, key=lambda statement: statement.first))


def by_statement(
    calls: Iterable[tuple[int, str]], prints: Sequence[PrintStatement]
) -> tuple[Printed, ...]:
    """What each print statement printed, from (line, text) of its calls in their order.

    Raises ValueError, with the line, where something printed that is no statement `print(...)`.
    """
    texts: dict[int, list[str]] = {}
    for line, text in calls:
        statement = next((n for n, p in enumerate(prints) if p.first <= line <= p.last), None)
        if statement is None:
            raise ValueError(
                f"{line}: print is not a statement here — write print(...) on a line of its own"
            )
        texts.setdefault(statement, []).append(text)
    return tuple(Printed(number, "\n".join(texts[number])) for number in sorted(texts))


def output_lines(source: str) -> frozenset[int]:
    """The lines that hold nothing but a `#>` comment: not those of a string that looks like one."""
    return frozenset(
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
        and OUTPUT.match(token.string)
        and not token.line[: token.start[1]].strip()
    )


def output_rows(
    prints: Sequence[PrintStatement], outputs: Iterable[Printed]
) -> dict[int, list[str]]:
    """The `#>` lines of `outputs`, by the line of the file behind which they stand."""
    return {
        prints[printed.statement].last: [
            " " * prints[printed.statement].indent + f"#> {line}".rstrip()
            for line in printed.text.split("\n")
        ]
        for printed in outputs
    }


def with_outputs(source: str, prints: Sequence[PrintStatement], outputs: Iterable[Printed]) -> str:
    """The file's text with `outputs` in the place of its `#>` lines."""
    old, new = output_lines(source), output_rows(prints, outputs)
    rows: list[str] = []
    for number, line in enumerate(source.split("\n"), 1):
        rows += [line] if number not in old else []
        rows += new.get(number, [])
    return "\n".join(rows)


def outputs(
    path: Path, source: str, prints: tuple[PrintStatement, ...], lines: Container[int]
) -> tuple[Printed, ...]:
    """What the file says that each print printed; its outputs stand on `lines`."""
    by_last_line = {statement.last: statement for statement in prints}
    found: list[tuple[int, str]] = []
    owner: PrintStatement | None = None
    for number, line in enumerate(source.split("\n"), 1):
        if number not in lines:
            owner = by_last_line.get(number)
            continue
        text = line.lstrip(" ")
        if owner is None:
            raise fault(
                path,
                number,
                "an output where nothing prints",
                "outputs are written by `pytest --update-examples`, never by hand: delete it",
            )
        if len(line) - len(text) != owner.indent:
            raise fault(
                path, number, "an output not in line with its print", "indent it like the print"
            )
        found.append((owner.last, text[3:]))
    return by_statement(found, prints)


def check_header(path: Path, header: dict, first_output: int | None) -> None:
    needs = header.get("needs", Needs())
    if "simulated" in header and needs.kind != "cuda":
        raise fault(
            path, 1, "'# simulated:' without '# needs: cuda'", "delete the line, or say the need"
        )
    kept_elsewhere = header.get("measures") or not header.get("simulated", True)
    if first_output is not None and kept_elsewhere:
        raise fault(
            path,
            first_output,
            "an output in a file whose output is only recorded (measures, simulated: no)",
            "delete the '#>' lines: `make record` keeps them in records/",
        )


def _name(function: ast.expr) -> str:
    """The last part of what is called: import_module of importlib.import_module."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def check_imports(path: Path, tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""] if not node.level else ["."]
        elif isinstance(node, ast.Call) and _name(node.func) in _IMPORTERS and node.args:
            asked = node.args[0]
            modules = [str(asked.value) if isinstance(asked, ast.Constant) else ast.unparse(asked)]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            if top not in sys.stdlib_module_names and top not in ALLOWED_PACKAGES:
                raise fault(
                    path,
                    node.lineno,
                    f"imports {module!r}",
                    "a snippet imports the standard library, torch and numpy, nothing else",
                )


def check_width(path: Path, source: str, output_lines: Container[int]) -> None:
    for number, line in enumerate(source.split("\n"), 1):
        limit = MAX_OUTPUT_COLUMNS if number in output_lines else MAX_COLUMNS
        width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
        if width > limit:
            remedy = "print less at a time" if number in output_lines else "break the line"
            raise fault(path, number, f"{width} columns wide, more than {limit}", remedy)

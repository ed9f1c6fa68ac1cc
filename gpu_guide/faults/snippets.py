"""Faults in snippets: what a person gets wrong in code for GPUs, one at a time.

Each is a small edit of a snippet's text that leaves it valid Python. Nothing is run here.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_WAITS = frozenset({"synchronize", "barrier", "wait", "wait_stream", "wait_event"})
_MOVES = frozenset({"to", "cuda", "cpu"})
_SIZED = frozenset(
    ["Conv2d", "Linear", "arange", "empty", "full", "ones", "rand", "randint", "randn", "zeros"]
)
_RANKED = frozenset({"src", "dst", "group_src", "group_dst"})
_DEVICE = {"cuda": "cpu", "cuda:0": "cuda:1", "cuda:1": "cuda:0", "cpu": "cuda", "meta": "cpu"}


@dataclass(frozen=True)
class Fault:
    """One planted fault."""

    kind: str
    """One of KINDS."""
    line: int
    """Where, in the text without the fault."""
    old: str
    new: str
    """The code before and after; "" where it is gone."""
    source: str
    """The whole text with the fault."""


_Edit = tuple[ast.AST, str]
"""What is replaced, and by which code."""


def planted(source: str) -> Iterator[Fault]:
    """Every fault that `source` offers, in the order of KINDS and of lines.

    Code that checks or shows instead of doing, such as `assert` and `print`, is left alone: a
    changed check says nothing about the code.
    """
    tree = ast.parse(source)
    text = source.encode()
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for kind, find in KINDS.items():
        found = sorted(find(tree), key=lambda edit: (edit[0].lineno, edit[0].col_offset))
        for node, new in found:
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            changed = (text[:begin] + new.encode() + text[end:]).decode()
            if not new:
                changed = _without_line(source, node)
            if changed != source and _valid(_around(changed, source, tree, node)):
                old = text[begin:end].decode()
                yield Fault(kind, node.lineno, old, new, changed)


def _around(changed: str, source: str, tree: ast.Module, node: ast.AST) -> str:
    """Of a changed text, the statement of the module in which the change lies, which alone can
    have become invalid: of a long snippet, a hundredth."""
    at = bisect_right(tree.body, node.lineno, key=_first_line) - 1
    after = _first_line(tree.body[at + 1]) if at + 1 < len(tree.body) else None
    kept = source.split("\n")[after - 1 :] if after else []
    lines = changed.split("\n")
    return "\n".join(lines[_first_line(tree.body[at]) - 1 : len(lines) - len(kept)])


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min(line.lineno for line in (statement, *decorators))


def _valid(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _without_line(source: str, node: ast.AST) -> str:
    """The text without the statement's lines, and without the comments right above them."""
    lines = source.split("\n")
    first = node.lineno - 1
    while first and lines[first - 1].lstrip().startswith(("# zh:", "# en:")):
        first -= 1
    return "\n".join(lines[:first] + lines[node.end_lineno :])


def _acting(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of code that does something: not of asserts, prints, imports and docstrings."""
    waiting: list[ast.AST] = list(tree.body[1:])
    for node in waiting:
        name = _name(node) if isinstance(node, ast.Call) else ""
        shows = name in {"print", "isinstance"} or name.startswith("assert_")
        if shows or isinstance(node, (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _name(call: ast.Call) -> str:
    """The last part of what is called."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in _acting(tree) if isinstance(node, ast.Call))


def _device_index(tree: ast.Module) -> Iterator[_Edit]:
    """Another device, or another index."""
    folders = {part for call in _calls(tree) if _name(call) == "Path" for part in call.args}
    for node in _acting(tree):
        if isinstance(node, ast.Constant) and node.value in _DEVICE and node not in folders:
            yield node, repr(_DEVICE[node.value]).replace("'", '"')
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("cuda.device", "set_device", "device_index", "set_device_index")
        ):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and argument.value in (0, 1):
                    yield argument, str(1 - argument.value)


def _forgotten_to(tree: ast.Module) -> Iterator[_Edit]:
    """A `.to(…)`, `.cuda()` or `.cpu()` that is not there."""
    for call in _calls(tree):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES:
            yield call, ast.unparse(call.func.value).replace("'", '"')


def _no_wait(tree: ast.Module) -> Iterator[_Edit]:
    """A synchronization that is not there."""
    for node in _acting(tree):
        calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if calls and _name(node.value) in _WAITS:
            yield node, "pass"


def _argument(tree: ast.Module) -> Iterator[_Edit]:
    """A keyword argument with another value."""
    for call in _calls(tree):
        for keyword in call.keywords:
            value = keyword.value
            if keyword.arg in (None, "map_location", "device", *_RANKED):
                continue
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                yield value, str(not value.value)
            elif isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
                yield value, str(value.value * 2 if value.value else 1)
            elif ast.unparse(value).startswith("torch.") and ast.unparse(value)[6:] in _DTYPES:
                yield value, _DTYPES[ast.unparse(value)[6:]]


_DTYPES = {
    "float16": "torch.float32",
    "bfloat16": "torch.float32",
    "float32": "torch.float64",
    "float64": "torch.float32",
    "int64": "torch.int32",
    "long": "torch.int32",
}


def _wrong_rank(tree: ast.Module) -> Iterator[_Edit]:
    """Another process than the one meant."""
    for node in _acting(tree):
        match node:
            case ast.Compare(
                left=ast.Name(id="rank") | ast.Call(), comparators=[ast.Constant(value=0 | 1) as n]
            ) if "rank" in ast.unparse(node.left) and not isinstance(n.value, bool):
                yield n, str(1 - n.value)
            case ast.keyword(arg=str(arg), value=ast.Constant(value=0 | 1) as n) if arg in _RANKED:
                yield n, str(1 - n.value)


def _no_map_location(tree: ast.Module) -> Iterator[_Edit]:
    """A `torch.load` that puts tensors back where they were saved, or elsewhere."""
    for call in _calls(tree):
        for keyword in call.keywords:
            if keyword.arg == "map_location":
                other = '"meta"' if "meta" not in ast.unparse(keyword.value) else '"cpu"'
                yield keyword.value, "None" if "None" not in ast.unparse(keyword) else other


def _size(tree: ast.Module) -> Iterator[_Edit]:
    """A tensor or a layer of another size."""
    for call in _calls(tree):
        if _name(call) in _SIZED:
            for argument in call.args:
                if isinstance(argument, ast.Constant) and type(argument.value) is int:
                    yield argument, str(argument.value + 1)


def _no_statement(tree: ast.Module) -> Iterator[_Edit]:
    """A statement that is not there."""
    for node in [tree, *_acting(tree)]:
        for block in (getattr(node, name, []) for name in ("body", "orelse", "finalbody")):
            if not isinstance(block, list):
                continue
            for statement in block:
                calls = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                name = _name(statement.value) if calls else ""
                if name in {"print", *_WAITS} or name.startswith("assert_"):
                    continue
                if calls or isinstance(statement, (ast.AugAssign, ast.Assign, ast.Delete)):
                    yield statement, "" if len(block) > 1 else "pass"


KINDS: dict[str, Callable[[ast.Module], Iterator[_Edit]]] = {
    "device": _device_index,
    "to": _forgotten_to,
    "synchronize": _no_wait,
    "argument": _argument,
    "rank": _wrong_rank,
    "map_location": _no_map_location,
    "size": _size,
    "line": _no_statement,
}
"""Each kind, and what finds the places where it can be planted."""

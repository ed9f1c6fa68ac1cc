"""Faults that no run without a GPU can show, recognized by rules that hold for every snippet.

A fault that nobody noticed counts against the guide, unless one of these rules says why nothing
could be seen of it. Each rule is narrow, and what can be tried is tried: a number counts as free if
further values go unnoticed, too, and as claimed where the snippet or a page names it; a line counts
as not reached if a process that would end there goes on. What is left is for `data/faults.yml`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from gpu_guide.data.accepted_survivors import Explained
from gpu_guide.faults.snippets import Fault
from gpu_guide.snippets import placement
from gpu_guide.snippets.model import Snippet

Noticed = Callable[[Fault], bool]
"""Whether anybody notices a fault in the snippet."""

_GUARDS = {("zip", "strict"), ("run", "check")}
"""Functions and their keywords that do nothing but raise where something is wrong."""
_OF_COPIES = {"non_blocking", "pin_memory"}
_OF_STREAMS = {"synchronize", "wait_event", "wait_stream"}
_SEEDS = {"manual_seed", "seed"}
_NUMBER = re.compile(r"\d[\d_]*(?:\.\d*)?(?:e-?\d+)?")
_END = '__import__("os")._exit(97)'


def explained(
    snippet: Snippet, fault: Fault, noticed: Noticed, told: str, gpu: bool
) -> Explained | None:
    """Which rule explains that nobody noticed `fault`; None if none does.

    `told` is what the pages say around the snippet, and `gpu` whether this machine has one.
    """

    def because(reason: str, why: str) -> Explained:
        return Explained(snippet.name, fault.kind, fault.old, fault.new, reason, why)

    if fault.kind == "argument" and fault.new == "False":
        names = set(_keywords(snippet.source, fault))
        if names and names <= _GUARDS:
            return because("equivalent", "It only raises where something is wrong, and nothing is.")
        if names and {name for _, name in names} <= _OF_COPIES and not gpu:
            return because("gpu", "Only copies between the CPU and a GPU can overlap.")
    if fault.kind == "synchronize" and not gpu and _called(fault.old) in _OF_STREAMS:
        return because("gpu", "Without a GPU there is nothing to wait for.")
    if fault.kind == "to" and _is_placed_anyway(snippet, fault):
        return because("equivalent", "fully_shard moves what it is given to the mesh's device.")
    if fault.kind == "device" and fault.old == '"meta"':
        return because("equivalent", "The CPU has the same shapes and bytes, and takes longer.")
    shown = snippet.simulated and not snippet.measures
    if fault.kind == "line" and _called(fault.old) in _SEEDS and shown:
        return because("equivalent", "Other seeds print the same, as the second run shows.")
    end = None if gpu else _ending(snippet, fault)
    if end and not noticed(end):
        return because("gpu", "No tier of this machine gets to this place.")
    if fault.kind in ("argument", "size") and _is_free(fault, snippet, noticed, told):
        return because("equivalent", "Other values go unnoticed as well, and no text names it.")
    return None


def _called(code: str) -> str:
    return code.partition("(")[0].rpartition(".")[2] if "(" in code else ""


def _keywords(source: str, fault: Fault) -> Iterator[tuple[str, str]]:
    """The keywords that the fault changes, each with the function that is called."""
    before, after = (
        [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        for text in (source, fault.source)
    )
    for one, other in zip(before, after, strict=True):
        for keyword, changed in zip(one.keywords, other.keywords, strict=True):
            mine = isinstance(keyword.value, ast.Constant)
            if mine and ast.dump(keyword.value) != ast.dump(changed.value):
                yield ast.unparse(one.func).rpartition(".")[2], keyword.arg or ""


def _is_placed_anyway(snippet: Snippet, fault: Fault) -> bool:
    """Whether what is no longer moved is given to a function that moves it, and to no other."""
    if not placement.applies(snippet.source):
        return False
    stays, others = (
        len(placement.left(fault.source, placers)) > len(placement.left(snippet.source, placers))
        for placers in (placement.PLACERS, ())
    )
    return others and not stays


def _ending(snippet: Snippet, fault: Fault) -> Fault | None:
    """The process ends where the fault is: in place of the smallest part around it that may be left
    out, such as a statement, a call, or one side of `or`. None where there is no such part, as in
    the default of a parameter."""
    begin, end = _span(snippet.source, fault)
    text = snippet.source.encode()
    starts = [0]
    for row in text.split(b"\n"):
        starts.append(starts[-1] + len(row) + 1)
    around = []
    for node in _parts(ast.parse(snippet.source)):
        at = starts[node.lineno - 1] + node.col_offset
        to = starts[node.end_lineno - 1] + node.end_col_offset
        if at <= begin and end <= to:
            around.append((to - at, at, to))
    if not around:
        return None
    _, at, to = min(around)
    source = (text[:at] + _END.encode() + text[to:]).decode()
    return replace(fault, new=_END, source=source)


def _parts(tree: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    for node in ast.walk(tree):
        match node:
            case ast.Call() | ast.Compare() | ast.Expr() | ast.Assign() | ast.AugAssign():
                yield node
            case ast.Delete() | ast.Return() | ast.Raise():
                yield node
            case ast.IfExp(body=one, orelse=other):
                yield from (one, other)
            case ast.BoolOp(values=values):
                yield from values


def _span(source: str, fault: Fault) -> tuple[int, int]:
    """Where the fault's code begins and ends in the source, in bytes."""
    lines = source.split("\n")
    first = len("\n".join(lines[: fault.line - 1])) + (fault.line > 1)
    if not fault.new:  # the whole statement is gone
        begin = source.index(fault.old, first)
    else:
        pairs = zip(source, fault.source, strict=False)
        same = next((i for i, (a, b) in enumerate(pairs) if a != b), len(fault.source))
        begin = source.rfind(fault.old, 0, same + len(fault.old))
    return len(source[:begin].encode()), len(source[: begin + len(fault.old)].encode())


def _is_free(fault: Fault, snippet: Snippet, noticed: Noticed, told: str) -> bool:
    """Whether the number may be another one: two more go unnoticed, and no text names it."""
    if not _NUMBER.fullmatch(fault.old) or _is_named(fault.old, snippet, told):
        return False
    begin, end = _span(snippet.source, fault)
    text = snippet.source.encode()
    for new in _others(fault):
        source = (text[:begin] + new.encode() + text[end:]).decode()
        if noticed(replace(fault, new=new, source=source)):
            return False
    return True


def _others(fault: Fault) -> list[str]:
    """Two values besides the fault's own: a smaller and a larger one, where there are."""
    old = ast.literal_eval(fault.old)
    if isinstance(old, float):
        return [str(old / 2 if old else 0.5), str(old * 3 if old else 0.25)]
    return [str(old - 1 if old > 1 else old + 3), str(old * 3 + 2)]


def _is_named(number: str, snippet: Snippet, told: str) -> bool:
    """Whether title, comments or pages have the number, as a word of its own."""
    rows = [row.strip() for row in snippet.source.split("\n")]
    comments = [row for row in rows if row.startswith(("# zh:", "# en:", "#   "))]
    words = "\n".join([*snippet.title.values(), *comments, told])
    value = number.replace("_", "")
    pattern = rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)"
    return re.search(pattern, words.replace(",", ""), re.ASCII) is not None

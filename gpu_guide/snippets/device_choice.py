"""Code for whatever device there is takes the right one, and waits for it before it reads a clock.

On a machine without a GPU no run can show that: the other branch is taken there, and the CPU has
nothing to wait for. So this reads the code. What shows the wrong way on purpose is listed in
exemptions.yml.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from gpu_guide.problems import shown
from gpu_guide.snippets import placement
from gpu_guide.snippets.syntax import nodes_of

WAITS = {"synchronize", "wait", "item", "tolist", "cpu"}
"""What returns when the device is done."""
_CLOCK, _ELAPSED = "perf_counter", "elapsed_time"
Nodes = Sequence[ast.AST]
"""All nodes of a snippet's tree, the module first."""


def faults(source: str, path: Path, let_off: Collection[str] = ()) -> list[str]:
    """What is wrong, but for what is `let_off`: file, line, what to do."""
    return [
        f"{shown(path)}:{line}: {what} — {remedy}"
        for line, what, remedy in found(source)
        if what not in let_off
    ]


def found(source: str) -> list[tuple[int, str, str]]:
    """Every broken rule: the line, what is wrong, and what to do."""
    nodes = nodes_of(source)
    broken = {one for word, rule in _BY_WORD for one in (rule(nodes) if word in source else ())}
    anywhere = placement.applies(source)
    if anywhere and "load" in source:
        broken.update(_loads(nodes))
    if (anywhere or "# needs: cuda" in source) and (_CLOCK in source or _ELAPSED in source):
        broken.update(_timed(nodes))
    return sorted(broken)


def _chosen(nodes: Nodes) -> Iterator[tuple[int, str, str]]:
    """`"cuda" if torch.cuda.is_available() else "cpu"`, and nothing else."""
    for node in nodes:
        if isinstance(node, ast.IfExp) and "is_available()" in ast.unparse(node.test):
            names = [n.value for n in (node.body, node.orelse) if isinstance(n, ast.Constant)]
            devices = [name.partition(":")[0] for name in names if isinstance(name, str)]
            if "cuda" in ast.unparse(node.test) and devices and devices != ["cuda", "cpu"]:
                what = f"{ast.unparse(node)} does not take the GPU where there is one"
                yield node.lineno, what, 'write "cuda" if torch.cuda.is_available() else "cpu"'


def _accelerators(nodes: Nodes) -> Iterator[tuple[int, str, str]]:
    """What the build could use, on a machine that has none of it."""
    for statement in (node for node in nodes if isinstance(node, ast.Assign)):
        for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
            checks = [k for k in call.keywords if ast.unparse(k) == "check_available=True"]
            if ast.unparse(call.func).endswith("current_accelerator") and not checks:
                name = ast.unparse(statement.targets[0])
                what = f"{name} = current_accelerator() may name a device that is not there"
                yield call.lineno, what, "pass check_available=True"


def _branches(nodes: Nodes) -> Iterator[tuple[int, str, str]]:
    """A call of torch.cuda for a device that is not CUDA's."""
    for node in nodes:
        if not isinstance(node, (ast.If, ast.IfExp)) or not isinstance(node.test, ast.Compare):
            continue
        if ast.unparse(node.test).endswith(".type == 'cpu'"):
            body = node.body if isinstance(node.body, list) else [node.body]
            for call in (n for part in body for n in ast.walk(part) if isinstance(n, ast.Call)):
                if ast.unparse(call.func).startswith("torch.cuda."):
                    what = f"{ast.unparse(call.func)} is called for the CPU"
                    yield call.lineno, what, 'compare with "cuda"'


def _sources(nodes: Nodes) -> Iterator[tuple[int, str, str]]:
    """Another rank than 0 that gives its values to all; without seeds all have the same by chance,
    so that no run shows it."""
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        for keyword in call.keywords if _called(call) == "broadcast" else ():
            rank = keyword.value.value if isinstance(keyword.value, ast.Constant) else 0
            if keyword.arg == "src" and rank != 0:
                yield call.lineno, f"rank {rank} gives its values to all", "write src=0"


_BY_WORD = (
    ("is_available", _chosen),
    ("current_accelerator", _accelerators),
    ("type", _branches),
    ("broadcast", _sources),
)
"""Rules about all code, and a word without which none is broken."""


def _loads(nodes: Nodes) -> Iterator[tuple[int, str, str]]:
    """The device that saved may be one that this machine lacks."""
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        nowhere = any(ast.unparse(k) == "map_location=None" for k in call.keywords)
        if ast.unparse(call.func) == "torch.load" and nowhere:
            what = "torch.load puts tensors on the device that saved them"
            yield call.lineno, what, 'write map_location="cpu", or map_location=device'


def _timed(nodes: Nodes) -> Iterator[tuple[int, str, str]]:
    """A time that is read before the device is done."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    waiting = {function.name for function in functions if _waits(function)}
    for scope in [nodes[0], *functions]:
        since = 0
        own = sorted(_own(scope), key=lambda node: (node.lineno, node.col_offset))
        for node in own:
            if isinstance(node, ast.Call) and _called(node) in WAITS | waiting:
                since = node.lineno
            ends = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
            if ends and _CLOCK in ast.unparse(node.left):
                start = ast.unparse(node.right)
                begun = [n.lineno for n in own if _starts(n, start) and n.lineno < node.lineno]
                if begun and since < begun[-1]:
                    what = f"time since {start} is read before the device is done"
                    yield node.lineno, what, "call synchronize() before"
            elapsed = isinstance(node, ast.Call) and _called(node) == _ELAPSED
            if elapsed and since <= _recorded(own, node):
                what = "elapsed_time of an event that may not be done"
                yield node.lineno, what, "call synchronize() on the event before"


def _recorded(nodes: Collection[ast.AST], elapsed: ast.Call) -> int:
    """The line above in which the event that ends a time is recorded, 0 if none does."""
    record = f"{ast.unparse(elapsed.args[0])}.record" if elapsed.args else ""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    lines = [c.lineno for c in calls if ast.unparse(c.func) == record and c.lineno < elapsed.lineno]
    return max(lines, default=0)


def _waits(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) and _called(n) in WAITS for n in ast.walk(node))


def _starts(node: ast.AST, name: str) -> bool:
    """Whether the statement reads the clock into `name`."""
    if not isinstance(node, ast.Assign):
        return False
    return ast.unparse(node.targets[0]) == name and _CLOCK in ast.unparse(node.value)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, or of the module, but for those of functions inside it."""
    waiting = list(ast.iter_child_nodes(scope))
    for node in waiting:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if hasattr(node, "lineno"):
            yield node
        waiting += ast.iter_child_nodes(node)


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]

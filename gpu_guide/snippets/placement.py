"""Code that takes its device from the machine makes everything on that device, or moves it there.

On the CPU no run can show that: `device` is the CPU there, and simulated devices stop at process
groups and at mixed precision. So this reads the code of torchrun snippets, and of others that
choose their `device` where they run: each tensor and each module that they make says `device=`, or
is moved by `.to(…)` before it is used, or it is listed in exemptions.yml with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from gpu_guide.problems import shown
from gpu_guide.snippets.syntax import nodes_of

TENSORS = frozenset(
    [
        *("arange", "empty", "eye", "full", "linspace", "ones", "rand", "randint", "randn"),
        *("tensor", "zeros"),
    ]
)
MOVERS = {"to", "cuda", "copy_"}
PLACERS = {"fully_shard"}
"""Functions that move what they are given to the device of their mesh."""
KEEPERS = {"TensorDataset", "DataLoader"}
"""What may keep data on the CPU, until a loop takes it out."""
SAMPLERS = {"DistributedSampler", "RandomSampler"}
"""What gives out numbers of samples, and none of the data."""
PARTS = {"chunk", "enumerate", "iter", "list", "next", "split", "tuple", "zip"}
"""What hands on the same data, in parts or with their numbers."""
SIZES = {"len", "numel", "size"}
"""What says the same of data on any device."""

_Binding = tuple[ast.AST, str]
"""What gives a variable a value, and the variable."""


def applies(source: str) -> bool:
    """Whether the code runs on several processes, or on whatever device it finds."""
    if "# needs:" in source:
        return "# needs: torchrun" in source
    return any(
        isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "device"
        and any(word in ast.unparse(node.value) for word in ("is_available", "accelerator"))
        for node in nodes_of(source)
    )


def faults(source: str, path: Path, let_off: Collection[str] = ()) -> list[str]:
    """What the code leaves where it was made, but for what is `let_off`: file, line, what to do."""
    return [
        f"{shown(path)}:{line}: {what}(…) stays on the CPU — write "
        "device=device, or .to(device) wherever it is used"
        for line, what in left(source)
        if what not in let_off
    ]


def left(source: str, placers: Collection[str] = PLACERS) -> list[tuple[int, str]]:
    """The calls whose tensor or module stays where it was made: the line, and what is called.

    A call that is given a name is reported with it, such as `x = torch.ones`. What is given to one
    of the `placers` is moved.
    """
    code = _Code(nodes_of(source), placers)
    found = []
    for call in code.made():
        module = code.makes_module(call)
        function = ast.unparse(call.func)
        if any(keyword.arg == "device" for keyword in call.keywords) or code.moved(call):
            continue
        if bindings := code.assigned(call):
            stay = [name for at, name in bindings if not code.is_placed(at, name, module, set())]
            found += [(call.lineno, f"{name} = {function}") for name in stay]
        elif not code.goes_placed(call, module, set()):
            found.append((call.lineno, function))
    return sorted(found)


class _Code:
    """A program, all nodes of whose tree these are, and where the values in it go."""

    def __init__(self, nodes: Collection[ast.AST], placers: Collection[str]) -> None:
        self.movers = {*MOVERS, *placers}
        self.above = {kid: node for node in nodes for kid in ast.iter_child_nodes(node)}
        self.calls = [node for node in nodes if isinstance(node, ast.Call)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        self.uses = [name for name in names if isinstance(name.ctx, ast.Load)]
        self.functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        bases = {one.name: [ast.unparse(base) for base in one.bases] for one in classes}
        self.modules = {name for name, above in bases.items() if any(map(_is_module, above))}
        self.sizes = SIZES | SAMPLERS
        self.sizes |= {name for name, above in bases.items() if SAMPLERS.intersection(above)}

    def made(self) -> Iterator[ast.Call]:
        """The calls that make a tensor or a module, but for parts of a module that is made around
        them, or of a class."""
        for call in self.calls:
            if not self.makes_module(call) and ast.unparse(call.func) not in _MAKERS:
                continue
            around = list(self._around(call))
            outer = [node for node in around if isinstance(node, ast.Call)]
            part = self.makes_module(call) and any(map(self.makes_module, outer))
            if not part and not any(isinstance(node, ast.ClassDef) for node in around):
                yield call

    def makes_module(self, call: ast.Call) -> bool:
        name = ast.unparse(call.func)
        return _is_module(name) or name in self.modules

    def moved(self, node: ast.AST) -> bool:
        """Whether the statement around `node` moves it, itself or as a part of something."""
        inner = node
        for parent in self._around(node):
            if isinstance(parent, ast.stmt):
                blocks = (p for p in self._around(node) if isinstance(p, ast.With))
                return any("torch.device(" in ast.unparse(w.items[0].context_expr) for w in blocks)
            if isinstance(parent, ast.Call) and _called(parent) in self.movers:
                # What is copied into stays where it is.
                return not (_called(parent) == "copy_" and inner is parent.func)
            inner = parent
        return False

    def assigned(self, node: ast.AST) -> list[_Binding]:
        """The assignment that contains `node`, with each variable that gets it."""
        for parent in self._around(node):
            if isinstance(parent, ast.Assign):
                target, value = parent.targets[0], parent.value
                both = isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple)
                if both and len(target.elts) == len(value.elts):
                    inside = {node, *self._around(node)}
                    pairs = zip(target.elts, value.elts, strict=True)
                    return [(parent, n) for to, of in pairs if of in inside for n in _names(to)]
                return [(parent, name) for name in _names(target)]
            if isinstance(parent, ast.stmt):
                return []
        return []

    def is_placed(self, at: ast.AST, name: str, module: bool, seen: set[_Binding]) -> bool:
        """Whether the variable bound there is moved: a module once, a tensor by each use."""
        if (at, name) in seen:
            return not module
        seen |= {(at, name)}
        uses = [use for use in self.uses if use.id == name and at in self._bound_by(use)]
        placed = (self.goes_placed(use, module, seen) for use in uses)
        return any(placed) if module else bool(uses) and all(placed)

    def goes_placed(self, node: ast.expr, module: bool, seen: set[_Binding]) -> bool:
        """Whether the value of `node` is moved where it is, or where it goes from there."""
        if self.moved(node):
            return True
        goes: list[_Binding] = []
        inner = node
        for parent in self._around(node):
            if isinstance(parent, (ast.For, ast.comprehension)):
                path = {node, *self._around(node)}
                goes = [(parent, name) for name in _taken_out(parent, path)]
            elif isinstance(parent, ast.Return):
                function = next(n for n in self._around(parent) if isinstance(n, ast.FunctionDef))
                made = [call for call in self.calls if _called(call) == function.name]
                return bool(made) and all(self.goes_placed(c, module, seen) for c in made)
            elif isinstance(parent, ast.Assign):
                goes = self.assigned(node)
            elif isinstance(parent, ast.Call) and inner is not parent.func:
                called = _called(parent)
                if called in self.sizes and not module:
                    return True
                if called in self.functions and inner in parent.args:
                    function = self.functions[called]
                    parameter = _parameter(function, parent, parent.args.index(inner))
                    goes = [(function, parameter)] if parameter else []
                elif not (called in PARTS or self._is_kept(parent) or (module and _wraps(called))):
                    return False
            elif isinstance(parent, ast.Attribute) and not module:
                if parent.attr in {"shape", "dtype", *SIZES}:
                    return True
            elif isinstance(parent, ast.stmt):
                return False
            if goes:
                placed = (self.is_placed(*one, module, seen) for one in goes)
                return any(placed) if module else all(placed)
            inner = parent
        return False

    def _is_kept(self, call: ast.Call) -> bool:
        """Whether the call makes a data set, or a part of what one is made of."""
        around = [call, *self._around(call)]
        return any(isinstance(node, ast.Call) and _called(node) in KEEPERS for node in around)

    def _bound_by(self, use: ast.Name) -> list[ast.AST]:
        """What may have given the variable the value that it has here, as far as the text shows.

        It is the last statement before this one that gives it one, or the loop, the comprehension
        or the function around.
        """
        found: list[ast.AST] = []
        node: ast.AST = use
        for parent in self._around(use):
            for block in (getattr(parent, name, []) for name in ("body", "orelse", "finalbody")):
                if not isinstance(block, list) or node not in block:
                    continue
                module = isinstance(parent, ast.Module)
                inside = any(isinstance(n, ast.FunctionDef) for n in [use, *self._around(use)])
                before = block if module and inside else block[: block.index(node)]
                for statement in reversed(before):
                    found += [n for n in _walk(statement) if use.id in _bound_names(n)]
                    if isinstance(statement, (ast.Assign, ast.With)) and found:
                        return found
            inner = isinstance(parent, (ast.For, ast.AsyncFor)) and node is not parent.iter
            if inner and use.id in _names(parent.target):
                return [*found, parent]
            for one in getattr(parent, "generators", []):
                if use.id in _names(one.target) and node is not one:
                    return [*found, one]
            if isinstance(parent, (ast.FunctionDef, ast.Lambda)):
                if use.id in [one.arg for one in parent.args.args]:
                    return [*found, parent]
                if found:
                    return found
            node = parent
        return found

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.above:
            node = self.above[node]
            yield node


_MAKERS = {f"torch.{maker}" for maker in TENSORS}


def _is_module(name: str) -> bool:
    before, _, last = name.rpartition(".")
    return before in ("nn", "torch.nn") and last[:1].isupper() and last != "Parameter"


def _parameter(function: ast.FunctionDef, call: ast.Call, at: int) -> str:
    """The name that the function gives to the call's argument in that place, "" if it has none."""
    named = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if isinstance(call.func, ast.Attribute) and named[:1] == ["self"]:
        named = named[1:]
    return named[at] if at < len(named) else ""


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _names(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def _taken_out(loop: ast.For | ast.comprehension, used: Collection[ast.AST]) -> list[str]:
    """The variables of a loop that may hold what is `used`, of which the loop's list is a part.

    Not what `enumerate` counts, and of a list that is written out only the item in that place.
    """
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    if isinstance(loop.iter, ast.Call) and _called(loop.iter) == "enumerate":
        targets = targets[1:]
    rows = loop.iter.elts if isinstance(loop.iter, (ast.Tuple, ast.List)) else []
    row = next((one for one in rows if one in used), None)
    if isinstance(row, ast.Tuple) and len(row.elts) == len(targets):
        targets = [to for to, of in zip(targets, row.elts, strict=True) if of in used]
    return [name for one in targets for name in _names(one)]


def _wraps(called: str) -> bool:
    """Whether it is the name of a class, such as `DistributedDataParallel`."""
    return called[:1].isupper()


def _bound_names(node: ast.AST) -> list[str]:
    """The variables that a statement, or a loop in it, gives values."""
    if isinstance(node, ast.Assign):
        return _names(node.targets[0])
    return _names(node.target) if isinstance(node, ast.For) else []


def _walk(statement: ast.AST) -> Iterator[ast.AST]:
    """The statement and those inside it, but for other functions and classes."""
    waiting = [statement]
    for node in waiting:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)

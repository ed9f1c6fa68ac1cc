"""In torchrun snippets, everything is made on, or moved to, the rank's device.

On the CPU no run can tell: `device` is the CPU there, and simulated devices stop at process groups.
So this reads the code: each tensor and each module that a snippet makes says `device=`, or is moved
by `.to(…)` before it is used, or the snippet stands in exemptions.yml with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from gpu_guide.problems import shown

TENSORS = frozenset(
    ["arange", "empty", "eye", "full", "ones", "rand", "randint", "randn", "tensor", "zeros"]
)
MOVERS = {"to", "cuda", "copy_"}
PLACERS = {"fully_shard"}
"""Functions that move what they are given to the device of their mesh."""
KEEPERS = {"TensorDataset", "DataLoader", "DistributedSampler"}
"""What may keep data on the CPU, until a loop takes it out."""


def faults(source: str, path: Path, let_off: Collection[str] = ()) -> list[str]:
    """What the code leaves where it was made, but for calls of functions that are `let_off`: file,
    line, what to do."""
    return [
        f"{shown(path)}:{line}: {function}(…) stays on the CPU — write "
        "device=device, or .to(device) wherever it is used"
        for line, function in left(source)
        if function not in let_off
    ]


def left(source: str) -> list[tuple[int, str]]:
    """The calls whose tensor or module stays where it was made: line and function."""
    tree = ast.parse(source)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    return [
        (call.lineno, ast.unparse(call.func))
        for call in _made(tree, above)
        if not _placed(call, above, tree)
    ]


def _made(tree: ast.Module, above: dict[ast.AST, ast.AST]) -> Iterator[ast.Call]:
    """The calls that make a tensor or a module, but for parts of a module that is made around
    them, or of a class."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if not (_is_module(name) or name in {f"torch.{maker}" for maker in TENSORS}):
            continue
        around = list(_around(call, above))
        if any(isinstance(node, ast.ClassDef) for node in around):
            continue
        outer = [node for node in around if isinstance(node, ast.Call)]
        if not (_is_module(name) and any(_is_module(ast.unparse(o.func)) for o in outer)):
            yield call


def _is_module(name: str) -> bool:
    before, _, last = name.rpartition(".")
    return before in ("nn", "torch.nn") and last[:1].isupper()


def _around(node: ast.AST, above: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while node in above:
        node = above[node]
        yield node


def _placed(call: ast.Call, above: dict[ast.AST, ast.AST], tree: ast.Module) -> bool:
    if any(keyword.arg == "device" for keyword in call.keywords) or _moved(call, above):
        return True
    if maker := _returned_by(call, above):
        made = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _called(n) == maker]
        return bool(made) and all(_placed(other, above, tree) for other in made)
    uses = _uses(_names(call, above), above, tree)
    if _is_module(ast.unparse(call.func)):
        return any(_moved(use, above) for use in uses)
    return bool(uses) and all(_moved(use, above) for use in uses)


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _returned_by(call: ast.expr, above: dict[ast.AST, ast.AST]) -> str:
    """The function that returns what the call makes, or the name stands for, if one does."""
    around = list(_around(call, above))
    if not any(isinstance(node, ast.Return) for node in around):
        return ""
    return next(node.name for node in around if isinstance(node, ast.FunctionDef))


def _uses(names: set[str], above: dict[ast.AST, ast.AST], tree: ast.Module) -> list[ast.Name]:
    """Where the variables are used, also as what a loop takes out of them or of a dataset."""
    names, kept, uses = set(names), set(), {}
    while True:
        before = len(uses), len(names), len(kept)
        for use in (node for node in ast.walk(tree) if isinstance(node, ast.Name)):
            if not isinstance(use.ctx, ast.Load) or use.id not in names | kept:
                continue
            around = list(_around(use, above))
            if _is_parameter(use.id, around):
                continue  # another variable, which has the same name inside a function
            if any(isinstance(node, ast.Call) and _called(node) in KEEPERS for node in around):
                kept |= _names(use, above)
                if maker := _returned_by(use, above):
                    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
                    kept |= {
                        n for call in calls if _called(call) == maker for n in _names(call, above)
                    }
            elif isinstance(above[use], ast.For) or _starred(use, above):
                loop = next(node for node in around if isinstance(node, ast.For))
                names |= {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            elif use.id in names:
                uses[use] = None
        if before == (len(uses), len(names), len(kept)):
            return list(uses)


def _is_parameter(name: str, around: list[ast.AST]) -> bool:
    function = next((node for node in around if isinstance(node, ast.FunctionDef)), None)
    return function is not None and name in [one.arg for one in function.args.args]


def _starred(use: ast.Name, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether the use is in the list over which a loop runs."""
    around = list(_around(use, above))
    loop = next((node for node in around if isinstance(node, ast.stmt)), None)
    return isinstance(loop, ast.For) and any(node is loop.iter for node in around)


def _moved(node: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether the statement around `node` moves it, itself or as a part of something."""
    for parent in _around(node, above):
        if isinstance(parent, ast.stmt):
            meta = (p for p in _around(node, above) if isinstance(p, ast.With))
            return any("torch.device(" in ast.unparse(w.items[0].context_expr) for w in meta)
        if isinstance(parent, ast.Call) and _called(parent) in MOVERS | PLACERS:
            return True
    return False


def _names(call: ast.Call, above: dict[ast.AST, ast.AST]) -> set[str]:
    """The variables that the call's statement assigns; those of a function, where it returns it."""
    for parent in _around(call, above):
        if isinstance(parent, ast.Assign):
            targets = [node for target in parent.targets for node in ast.walk(target)]
            value = parent.value
            if isinstance(value, ast.Tuple) and isinstance(parent.targets[0], ast.Tuple):
                around = [call, *_around(call, above)]
                pairs = zip(parent.targets[0].elts, value.elts, strict=True)
                targets = [target for target, part in pairs if part in around]
            return {node.id for node in targets if isinstance(node, ast.Name)}
        if isinstance(parent, (ast.Return, ast.stmt)):
            return set()
    return set()

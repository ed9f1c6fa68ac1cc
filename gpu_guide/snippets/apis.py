"""Names of torch that a snippet uses, from its syntax tree.

Methods of objects are left out, since the tree does not show what the object is.
"""

from __future__ import annotations

import ast
from collections.abc import Container

from gpu_guide.snippets.syntax import nodes_of


def used(source: str, modules: Container[str]) -> frozenset[str]:
    """The public and private names of torch that `source` uses, in full: `torch.cuda.Stream`.

    `modules` are the modules of torch. What follows a name in one, such as the member of an
    enumeration, is part of that name.
    """
    nodes = nodes_of(source)
    known = dict(alias for node in nodes for alias in _imported(node))
    found = set(known.values())
    found |= {name for node in nodes if (name := _dotted(node, known))}
    names = (_in_module(name, modules) for name in found)
    return frozenset(name for name in names if name not in modules)


def _imported(node: ast.AST) -> list[tuple[str, str]]:
    """What an import of torch calls things here, and what each is."""
    match node:
        case ast.Import(names=names):
            whole = [(one.asname or "torch", one.name if one.asname else "torch") for one in names]
            return [pair for one, pair in zip(names, whole, strict=True) if _of_torch(one.name)]
        case ast.ImportFrom(module=str(module), names=names) if _of_torch(module):
            return [(one.asname or one.name, f"{module}.{one.name}") for one in names]
    return []


def _of_torch(module: str) -> bool:
    return module.partition(".")[0] == "torch"


def _dotted(node: ast.AST, known: dict[str, str]) -> str:
    match node:
        case ast.Name(id=name):
            return known.get(name, "")
        case ast.Attribute(value=value, attr=attribute):
            before = _dotted(value, known)
            return f"{before}.{attribute}" if before else ""
    return ""


def _in_module(name: str, modules: Container[str]) -> str:
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        if ".".join(parts[:end]) not in modules:
            return ".".join(parts[:end])
    return name

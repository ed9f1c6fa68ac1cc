"""A hash of what runs: the same for code that is only laid out, commented or documented otherwise.

It is taken of the syntax tree, which Python 3.10 to 3.13 read alike, and not of the text.
"""

from __future__ import annotations

import ast
import copy
import hashlib

from gpu_guide.snippets.syntax import tree_of

_OF_NO_MOMENT = frozenset({"ctx", "kind", "type_comment"})
"""Fields that follow from others or that nothing reads when code runs."""
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def fingerprint(source: str, *conditions: str) -> str:
    """The hash of the code and of the `conditions` under which it runs.

    The module's docstring does not count; those of functions count without their indentation,
    which is layout. Raises SyntaxError.
    """
    tree = tree_of(source)
    if ast.get_docstring(tree) is not None:
        tree = ast.Module(tree.body[1:], tree.type_ignores)
    return hashlib.sha256(repr([_plain(tree), *conditions]).encode()).hexdigest()


def _plain(part: object) -> object:
    """A part of a tree as lists and texts; what is empty is left out, as later Pythons add it."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, ast.AST):
        return repr(part)
    if isinstance(part, _DOCUMENTED):
        part = _without_indentation(part)
    fields = ((name, value) for name, value in ast.iter_fields(part) if name not in _OF_NO_MOMENT)
    return [
        type(part).__name__,
        *((name, _plain(value)) for name, value in fields if value not in (None, [])),
    ]


def _without_indentation(definition: ast.AST) -> ast.AST:
    """A function or class like this one, whose docstring is as far left as possible."""
    text = ast.get_docstring(definition)
    if text is None:
        return definition
    plain = copy.copy(definition)
    rows = (row.rstrip() for row in text.split("\n"))
    plain.body = [ast.Expr(ast.Constant("\n".join(rows))), *definition.body[1:]]
    return plain

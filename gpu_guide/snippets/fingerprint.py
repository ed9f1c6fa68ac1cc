"""A hash of what runs: the same for code that is only laid out, commented or documented otherwise.

It is taken of the syntax tree, which Python 3.10 to 3.13 read alike, and not of the text.
"""

from __future__ import annotations

import ast
import hashlib

_OF_NO_MOMENT = frozenset({"ctx", "kind", "type_comment"})
"""Fields that follow from others or that nothing reads when code runs."""
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def fingerprint(source: str, *conditions: str) -> str:
    """The hash of the code and of the `conditions` under which it runs.

    The module's docstring does not count; those of functions count without their indentation,
    which is layout. Raises SyntaxError.
    """
    tree = ast.parse(source)
    if ast.get_docstring(tree) is not None:
        del tree.body[0]
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)) is not None:
            rows = (row.rstrip() for row in text.split("\n"))
            node.body[0].value = ast.Constant("\n".join(rows))
    return hashlib.sha256(repr([_plain(tree), *conditions]).encode()).hexdigest()


def _plain(part: object) -> object:
    """A part of a tree as lists and texts; what is empty is left out, as later Pythons add it."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, ast.AST):
        return repr(part)
    fields = ((name, value) for name, value in ast.iter_fields(part) if name not in _OF_NO_MOMENT)
    return [
        type(part).__name__,
        *((name, _plain(value)) for name, value in fields if value not in (None, [])),
    ]

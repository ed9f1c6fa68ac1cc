"""The syntax tree of a snippet, made once: half a dozen modules look at the same one."""

from __future__ import annotations

import ast
from functools import lru_cache


@lru_cache(maxsize=1024)
def tree_of(source: str) -> ast.Module:
    """The tree of the code, not to be changed. Raises SyntaxError."""
    return ast.parse(source)


@lru_cache(maxsize=1024)
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """All nodes of `tree_of(source)`, as `ast.walk` gives them: itself first, inner ones last."""
    return tuple(ast.walk(tree_of(source)))

"""A snippet as readers download it: with what it needs in its head, as PEP 723 has it.

`uv run file.py` and `pipx run file.py` read that, make an environment with these packages, and run
the file in it. Neither the file of the tree nor its hash changes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from gpu_guide.snippets.syntax import nodes_of, tree_of

_WINDOWS_INDEX = "https://download.pytorch.org/whl/cu130"
_FOR_WINDOWS = (
    "",
    "# PyPI has no CUDA build for Windows.",
    "[[tool.uv.index]]",
    'name = "pytorch"',
    f'url = "{_WINDOWS_INDEX}"',
    "explicit = true",
    "",
    "[tool.uv.sources]",
    'torch = [{ index = "pytorch", marker = "sys_platform == \'win32\'" }]',
)


def with_metadata(source: str, python: str, requirements: Mapping[str, str]) -> str:
    """The code with a block of metadata on top.

    `python` is what requires-python says, such as `>=3.11`, and `requirements` has by module the
    requirement that installs it, such as `torch>=2.11`. A file that imports another package inside
    functions alone is left as it is: it looks at the environment that it is started in, and one
    that is made for it would be another. Raises KeyError for a package of no known requirement.
    """
    if not gets_metadata(source):
        return source
    needed = sorted({*_packages(_outside_functions(tree_of(source)))})
    listed = "".join(f'    "{requirements[name]}",\n' for name in needed)
    lines = [f'requires-python = "{python}"']
    lines += f"dependencies = [\n{listed}]".split("\n") if needed else ["dependencies = []"]
    lines += _FOR_WINDOWS if "torch" in needed else ()
    block = "\n".join(f"# {line}".rstrip() for line in ["/// script", *lines, "///"])
    return f"{block}\n{source}"


@lru_cache(maxsize=1024)
def gets_metadata(source: str) -> bool:
    """Whether the code is downloaded with metadata, so that uv makes an environment for it.

    That is where each package that it imports is imported outside functions, too.
    """
    return {*_packages(nodes_of(source))} <= {*_packages(_outside_functions(tree_of(source)))}


def _packages(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The packages that the nodes import, apart from the standard library."""
    for node in nodes:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for name in names:
            package = name.partition(".")[0]
            if package not in sys.stdlib_module_names:
                yield package


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)

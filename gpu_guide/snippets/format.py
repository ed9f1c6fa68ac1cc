"""The text of a snippet file: how it is encoded, how wide it is, what it may import."""

from __future__ import annotations

import ast
import sys
import unicodedata
from collections.abc import Container
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.snippets.syntax import nodes_of

MAX_COLUMNS = 80
MAX_OUTPUT_COLUMNS = 120
ALLOWED_PACKAGES = frozenset({"torch", "numpy"})

_IMPORTERS = frozenset({"__import__", "import_module", "run_module"})
"""What imports the module that its first argument names."""


def read(path: Path) -> str:
    """The text of a file. Raises GuideError where it is not plain UTF-8."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise fault(path, line, "not UTF-8", "save the file as UTF-8") from None
    if text.startswith("\ufeff"):
        raise fault(path, 1, "starts with a byte order mark", "save as UTF-8 without BOM")
    text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            raise fault(path, number, "a tab", "indent with four spaces; write \\t in text")
    return text


def _name(function: ast.expr) -> str:
    """The last part of what is called: import_module of importlib.import_module."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def check_imports(path: Path, source: str, needed: Container[str] = ()) -> None:
    """Raise GuideError for an import of anything but torch, numpy and the standard library, and the
    modules of the libraries that the snippet says are `needed`."""
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""] if not node.level else ["."]
        elif isinstance(node, ast.Call) and _name(node.func) in _IMPORTERS and node.args:
            asked = node.args[0]
            modules = [str(asked.value) if isinstance(asked, ast.Constant) else ast.unparse(asked)]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            if not (top in sys.stdlib_module_names or top in ALLOWED_PACKAGES or top in needed):
                raise fault(
                    path,
                    node.lineno,
                    f"imports {module!r}",
                    "a snippet imports the standard library, torch and numpy, nothing else but the "
                    "libraries of data/libraries.yml that it needs: # needs: accelerate",
                )


def check_width(path: Path, source: str, output_lines: Container[int]) -> None:
    """Raise GuideError for a line too wide for a phone that is held sideways."""
    for number, line in enumerate(source.split("\n"), 1):
        limit = MAX_OUTPUT_COLUMNS if number in output_lines else MAX_COLUMNS
        wide = 0 if line.isascii() else sum(unicodedata.east_asian_width(c) in "WF" for c in line)
        width = len(line) + wide
        if width > limit:
            remedy = "print less at a time" if number in output_lines else "break the line"
            raise fault(path, number, f"{width} columns wide, more than {limit}", remedy)

"""The stand-in's runtime in C: calls go down only, and each layer has one header."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from gpu_guide.stand_in import build

README = "README.md"
LIBRARIES = "libraries.h"

_ROW = re.compile(r"^\| (`\w+\.h`) \| ([^|]*)\|", re.MULTILINE)
_NAME = re.compile(r"`(\w+\.[ch])`")
_INCLUDE = re.compile(r'^#include "(\w+\.h)"', re.MULTILINE)
_WRITTEN_BY_BUILD = {"architectures.h", "error_texts.h"}
# What is no code: comments, texts, attributes, and the lines that include files.
_NO_CODE = re.compile(
    r'__attribute__\(\(.*?\)\)|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^#include[^\n]*',
    re.MULTILINE | re.DOTALL,
)
# At the left margin: words, a name, and a body or a value behind it. A declaration has neither.
_FUNCTION = re.compile(r"^(?!\s)([\w \t*]*?)\b(\w+)\s*\([^;{}]*\)\s*\{", re.MULTILINE)
_VARIABLE = re.compile(
    r"^(?!\s|static|extern|typedef)[\w ]+[ *](\w+)(?:\[\w*\])*(?: =[^;]*)?;", re.MULTILINE
)
# `value.name` and `pointer->name` are members.
_WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")


def layers(root: Path) -> dict[str, list[str]]:
    """The headers of README.md from the lowest, each with the files of its layer."""
    text = (root / README).read_text(encoding="utf-8")
    return {_NAME.search(header)[1]: _NAME.findall(files) for header, files in _ROW.findall(text)}


def code_of(path: Path) -> str:
    """The text of a file, without comments and texts; lines keep their numbers."""
    text = path.read_text(encoding="utf-8")
    return _NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def defined(code: str) -> tuple[set[str], set[str]]:
    """What a file defines for others, and what it keeps to itself."""
    shared: set[str] = set()
    own: set[str] = set()
    for before, name in _FUNCTION.findall(code):
        (own if re.search(r"\bstatic\b", before) else shared).add(name)
    return shared | set(_VARIABLE.findall(code)), own


def calls(root: Path) -> dict[str, dict[str, tuple[str, int]]]:
    """By file, which others it uses: by what name first, and in which line."""
    codes = {path.name: code_of(path) for path in sorted(root.glob("*.c"))}
    names = {file: defined(code) for file, code in codes.items()}
    where = {name: file for file, (shared, _) in names.items() for name in shared}
    found: dict[str, dict[str, tuple[str, int]]] = {file: {} for file in codes}
    for file, code in codes.items():
        for word in _WORD.finditer(code):
            name = word[0]
            other = where.get(name, file)
            if other != file and name not in names[file][1]:
                line = code.count("\n", 0, word.start()) + 1
                found[file].setdefault(other, (name, line))
    return found


def faults(root: Path) -> list[str]:
    """Files without a layer, headers from above, calls that go upwards, and circles."""
    order = layers(root)
    rank = {header: place for place, header in enumerate(order)}
    rank |= {file: rank[header] for header, files in order.items() for file in files}
    there = {path.name for path in root.glob("*.[ch]")}
    found = [f"{name}: has no layer yet, name it in {README}" for name in sorted(there - set(rank))]
    found += [f"{README}: {name} is not there" for name in sorted(set(rank) - there)]
    for name in sorted(there & set(rank)):
        asked = set(_INCLUDE.findall((root / name).read_text(encoding="utf-8"))) - _WRITTEN_BY_BUILD
        above = [header for header in asked if rank.get(header, len(rank)) > rank[name]]
        found += [f"{name}: includes {header}, which is above it" for header in above]
        own = list(order)[rank[name]]
        if name.endswith(".c") and own not in asked:
            found.append(f"{name}: does not include {own}, the header of its layer")
    graph = calls(root)
    for file, others in graph.items():
        for other, (name, line) in others.items():
            if rank.get(other, -1) > rank.get(file, len(rank)):
                found.append(
                    f"{file}:{line}: uses {name} of {other}, which is above it — move what both "
                    f"need to the lower layer, or the caller upwards"
                )
    try:
        TopologicalSorter({file: set(others) for file, others in graph.items()}).prepare()
    except CycleError as error:
        found.append("in a circle: " + ", ".join(error.args[1]))
    return found


def test_calls_go_downwards_only():
    assert not (found := faults(build.SOURCES)), "\n".join(found)


def test_each_call_between_files_is_read():
    """So that a way of writing that the patterns do not know is noticed."""
    found = {(file, other) for file, others in calls(build.SOURCES).items() for other in others}
    assert {
        ("errors.c", "faults.c"),  # a call
        ("errors.c", "settings.c"),  # in a function that is handed on
        ("devices.c", "visible.c"),  # a variable
        ("pools.c", "allocations.c"),  # a call that CUDA's headers declare
        ("products.c", "cublas.c"),  # in a macro
        ("collectives.c", "errors.c"),
    } <= found
    alone = {"ends.c"}  # nothing of CUDA
    assert calls(build.SOURCES).keys() - alone == {one for pair in found for one in pair}


def test_the_highest_layer_is_what_is_linked_apart():
    assert set(layers(build.SOURCES)[LIBRARIES]) == set(build._OF_LIBRARIES)


TABLE = """
| Header | Files | What |
|---|---|---|
| `low.h` | `a.c`, `b.c` | |
| `high.h` | `c.c` | |
"""
SOUND = {
    "low.h": "int a(void);\nint b(int of);\nextern int figure;\n",
    "high.h": '#include "low.h"\nint c(void);\n',
    "a.c": '#include "low.h"\nint figure = 1;\n\nint a(void) {\n  return 1;\n}\n',
    "b.c": '#include "low.h"\n// not c()\nstatic int own(void) { return a(); }\n\n'
    "int b(\n    int of) {\n  return own() + of;\n}\n",
    "c.c": '#include "high.h"\nAPI int c(void) { return a() + b(figure); }\n',
}

MANY = '#include "high.h"\nint many[2];\n'


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, ""),
        ({"a.c": '#include "low.h"\nint a(void) {\n  return c();\n}\n'}, "a.c:3: uses c of c.c"),
        ({"a.c": '#include "low.h"\nint a(void) { return once(c); }\n'}, "a.c:2: uses c of c.c"),
        ({"a.c": '#include "low.h"\nint a(void) { return x.c + x->c + d("c()"); }\n'}, ""),
        ({"a.c": '#include "low.h"\nstatic int c(void) {}\nint a(void) { return c(); }\n'}, ""),
        ({"a.c": '#include "low.h"\nint a(void) { return b(1); }\n'}, "in a circle: "),
        ({"a.c": '#include "high.h"\n#include "low.h"\n'}, "a.c: includes high.h, which is above"),
        ({"low.h": '#include "high.h"\n'}, "low.h: includes high.h, which is above it"),
        ({"c.c": '#include "low.h"\n'}, "c.c: does not include high.h"),
        ({"new.c": '#include "low.h"\n'}, "new.c: has no layer yet"),
        ({"c.c": MANY, "a.c": '#include "low.h"\nint a(void) { return many[0]; }\n'}, "uses many"),
    ],
)
def test_each_fault_is_seen(tmp_path, changes, fault):
    for name, text in ({README: TABLE} | SOUND | changes).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = "\n".join(faults(tmp_path))
    assert fault in found and bool(fault) is bool(found)

"""The order of the house: a module imports what stands before it, and nothing behind it."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from gpu_guide import ROOT
from gpu_guide.project import HERE

PACKAGE = ROOT / "gpu_guide"

ORDER = (
    "problems",
    "fast_yaml",
    "project",
    "simulate",
    "crosscheck",
    "environments",
    "repositories",
    "stand_in",
    "snippets",
    "run",
    "records",
    "fit",
    "data",
    "dry_run",
    "diagnosis",
    "pictures",
    "pages",
    "labs",
    "exercises",
    "campaign",
    "render",
    "tool",
    "lint",
    "exemptions",
    "files",
    "checks",
    "faults",
    "site",
    "pytest_plugin",
    "only_changed",
    "bench",
    "watch",
    "scaffold",
    "venv",
    "commands",
    "cli",
    "__main__",
)
"""Packages and modules: each may import those before it, and all may import `gpu_guide` itself."""


def name_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


BY_PATH = (PACKAGE / "dry_run" / "observer",)
"""Packages that other processes load by their path: within them, imports cannot name ours."""


def imports(root: Path = PACKAGE) -> dict[str, dict[str, int]]:
    """By module, which modules of the package it imports, wherever in its text, and in what line.

    `from gpu_guide.run import child` is an import of the module, `… import NAME` of the package.
    """
    modules = {name_of(path, root): path for path in sorted(root.rglob("*.py"))}
    found: dict[str, dict[str, int]] = {name: {} for name in modules}
    for module, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    asked = [alias.name for alias in names]
                case ast.ImportFrom(module=str(base), names=names, level=0):
                    asked = [f"{base}.{alias.name}" for alias in names]
                case ast.ImportFrom(module=base, names=names, level=1) if path.parent in BY_PATH:
                    package = name_of(path.parent / "__init__.py", root)
                    asked = [f"{package}.{base or alias.name}" for alias in names]
                case ast.ImportFrom():
                    raise AssertionError(f"{path}:{node.lineno}: write the whole name, no dots")
                case _:
                    continue
            for name in asked:
                while name and name not in modules:
                    name = name.rpartition(".")[0]
                if name and name != module:
                    found[module].setdefault(name, node.lineno)
    return found


def faults(root: Path = PACKAGE) -> list[str]:
    """Imports that go upwards, modules without a place, and circles."""
    rank = {name: place for place, name in enumerate(ORDER)}
    graph = imports(root)
    found = []
    for module, others in graph.items():
        _, _, inner = module.partition(".")
        mine = inner.partition(".")[0]
        if mine and mine not in rank:
            found.append(f"{module}: has no place yet, name it in ORDER of tests/test_imports.py")
        for other, line in others.items():
            _, _, inner = other.partition(".")
            its = inner.partition(".")[0]
            if its and rank.get(its, -1) > rank.get(mine, -1):
                found.append(
                    f"{module}, line {line}: imports {other}, which stands above it — move what "
                    f"both need to {mine or 'a package below'} or below, or the caller upwards"
                )
    try:
        TopologicalSorter({module: set(others) for module, others in graph.items()}).prepare()
    except CycleError as error:
        found.append("in a circle: " + ", ".join(error.args[1]))
    return found


def test_imports_go_downwards_only():
    assert not (found := faults()), "\n".join(found)


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"run/a.py": "from gpu_guide.records.b import x", "records/b.py": ""}, "stands above"),
        ({"run/a.py": "def f():\n    import gpu_guide.cli", "cli.py": ""}, "line 2: imports"),
        (
            {"run/a.py": "from gpu_guide.run import b", "run/b.py": "import gpu_guide.run.a"},
            "circle",
        ),
        ({"odds.py": ""}, "no place"),
        ({"records/b.py": "from gpu_guide.run import a", "run/a.py": ""}, ""),
    ],
)
def test_each_fault_is_seen(tmp_path, files, fault):
    root = tmp_path / "gpu_guide"
    for name in ("run", "records"):
        (root / name).mkdir(parents=True)
    for name in ("__init__.py", "run/__init__.py", "records/__init__.py"):
        (root / name).write_text("", encoding="utf-8")
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    found = "\n".join(faults(root))
    assert fault in found and bool(fault) is bool(found)


def test_every_path_that_the_drawing_names_is_there():
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:[\w.]+/)+[\w.]+\.\w+)`", text)
    gone = [name for name in paths if not any((top / name).exists() for top in (ROOT, PACKAGE))]
    assert len(paths) > 10 and not gone


def test_the_drawing_of_the_house_names_what_is_there():
    rooms: set[str] = set()
    for row in (PACKAGE / "README.md").read_text(encoding="utf-8").splitlines():
        names = re.findall(r"`([\w/]+\.py|\w+/)`", row) if row.startswith("| `") else []
        folder = names[0] if names and names[0].endswith("/") else ""
        for name in names:
            place = PACKAGE / name if name.endswith("/") or not folder else PACKAGE / folder / name
            assert place.exists(), f"gpu_guide/README.md: no {place.relative_to(ROOT)}"
        rooms |= {name.strip("/").removesuffix(".py") for name in ([folder] if folder else names)}
    there = {p.stem for p in PACKAGE.iterdir() if p.name[0] not in "_." and p.name != "README.md"}
    assert there <= rooms, f"not drawn: {', '.join(sorted(there - rooms))}"


KNOWS_PLACES = ("__init__.py", "problems.py", "project.py")
KNOWS_LANGUAGES = ("project.py",)
PLACES = HERE.own_folders | {path.name for path in (*HERE.configs.values(), HERE.constraints)}


def known_elsewhere(root: Path = PACKAGE) -> list[str]:
    """Modules that know a folder of the guide or the name of a language by themselves."""
    found = []
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Constant(value=str(text)) if text in HERE.languages:
                    known, where = f"the language {text!r}", KNOWS_LANGUAGES
                case ast.BinOp(op=ast.Div(), right=ast.Constant(value=str(text))):
                    known, where = f"the place {text!r}", KNOWS_PLACES
                    if text.partition("/")[0] not in PLACES:
                        continue
                case ast.alias(name="ROOT"):
                    known, where = "ROOT", KNOWS_PLACES
                case _:
                    continue
            if module not in where:
                found.append(f"{module}:{node.lineno}: knows {known}: take it from a Project")
    return found


def test_only_the_project_knows_places_and_languages():
    assert not (found := known_elsewhere()), "\n".join(found)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('def f(root):\n    return root / "docs" / "x.md"', "a.py:2: knows the place 'docs'"),
        ('x = {"zh": 1}', "a.py:1: knows the language 'zh'"),
        ("from gpu_guide import ROOT", "a.py:1: knows ROOT"),
        ('def f(out):\n    return out / "assets"', ""),
    ],
)
def test_a_place_or_a_language_that_a_module_knows_by_itself_is_seen(tmp_path, code, told):
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    found = "\n".join(known_elsewhere(tmp_path))
    assert told in found and bool(told) is bool(found)

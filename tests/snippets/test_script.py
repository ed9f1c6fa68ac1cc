"""Downloads with PEP 723 metadata: what uv and pipx read of them, and that the code is the same."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from gpu_guide import ROOT
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import copy_snippets
from gpu_guide.snippets.code_hash import fingerprint
from gpu_guide.snippets.libraries import load_libraries
from gpu_guide.snippets.script import with_metadata

# The reference implementation of PEP 723, which pipx has word for word.
REGEX = r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$"
KNOWN = {"torch": "torch>=2.11", "numpy": "numpy>=2"}
PACKAGES = {one: one for one in KNOWN} | {
    one.module: Requirement(one.package).name for one in load_libraries(HERE)
}
"""What installs each module."""


def metadata(source: str) -> dict | None:
    """What a tool reads of a script by the reference implementation."""
    found = [m for m in re.finditer(REGEX, source) if m["type"] == "script"]
    assert len(found) < 2
    if not found:
        return None
    lines = found[0]["content"].splitlines(keepends=True)
    return tomllib.loads("".join(line[2:] if line.startswith("# ") else line[1:] for line in lines))


@pytest.mark.slow
def test_every_download_says_what_it_needs_and_runs_the_same_code(tmp_path: Path) -> None:
    copy_snippets(HERE, tmp_path)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    without = []
    for copy in sorted(tmp_path.rglob("*.py")):
        name = copy.relative_to(tmp_path).as_posix()
        text, own = copy.read_text(encoding="utf-8"), (HERE.snippets / name).read_text("utf-8")
        assert text.endswith(own)
        assert fingerprint(text) == fingerprint(own), name
        assert ast.get_docstring(ast.parse(text)) == ast.get_docstring(ast.parse(own))
        if (said := metadata(text)) is None:
            without.append(name)
            continue
        assert said["requires-python"] == settings["tool"]["gpu-guide"]["python"]
        SpecifierSet(said["requires-python"])
        needed = {Requirement(one).name for one in said["dependencies"]}
        assert needed == {
            package
            for module, package in PACKAGES.items()
            if re.search(rf"^\s*(?:import|from) {module}\b", own, re.M)
        }
        if "torch" in needed:  # or Windows would get a build that has no CUDA
            (source,) = said["tool"]["uv"]["sources"]["torch"]
            assert source["marker"] == "sys_platform == 'win32'"
            (index,) = said["tool"]["uv"]["index"]
            assert index["name"] == source["index"] and index["explicit"] is True
    # It tells of the environment that it is started in, so none is made for it.
    assert without == ["check/doctor.py"]


def test_nothing_needed_and_what_stands_in_functions_or_in_a_try() -> None:
    bare = with_metadata('"""Title."""\nimport os\n', ">=3.11", KNOWN)
    assert metadata(bare) == {"requires-python": ">=3.11", "dependencies": []}
    tried = with_metadata(
        "try:\n    import torch.nn as nn\nexcept ImportError: ...\n", ">=3.11", KNOWN
    )
    assert metadata(tried)["dependencies"] == ["torch>=2.11"]
    inside = "def f():\n    import torch\n"
    assert with_metadata(inside, ">=3.11", KNOWN) == inside
    both = "import torch\ndef f():\n    from torch import nn\n"
    assert metadata(with_metadata(both, ">=3.11", KNOWN))["dependencies"] == ["torch>=2.11"]
    with pytest.raises(KeyError, match="pandas"):
        with_metadata("import pandas\n", ">=3.11", KNOWN)


def test_a_guide_without_a_pyproject_gives_the_files_as_they_are(tmp_path: Path) -> None:
    snippet = tmp_path / "snippets" / "a" / "b.py"
    snippet.parent.mkdir(parents=True)
    snippet.write_text("import torch\n", encoding="utf-8")
    copy_snippets(Project(tmp_path), tmp_path / "out")
    assert (tmp_path / "out" / "a" / "b.py").read_bytes() == snippet.read_bytes()

"""The commands on the pages: what they name is there, and each can be run as it stands.

Nothing is installed. What pip, Docker, conda and the shells do with such a command is known from
their documentation; the rules below keep a page from showing one that cannot work.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import product

import pytest

from gpu_guide import ROOT
from gpu_guide.data.wheels import load_wheels
from gpu_guide.pages.lines import Fence
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE

SHELLS = ("bash", "powershell")
PAGES = [
    parse(path, ROOT / "docs" / lang)
    for lang in HERE.languages
    for path in sorted((ROOT / "docs" / lang).rglob("*.md"))
]


def fences(*languages: str) -> Iterator[tuple[Page, Fence]]:
    return ((page, fence) for page in PAGES for fence in page.fences if fence.language in languages)


def commands(*languages: str) -> Iterator[tuple[str, Page, list[str]]]:
    """Each line of a fence: where it is, its page, and the lines up to it, itself the last."""
    for page, fence in fences(*languages):
        for number, _ in enumerate(fence.content, 1):
            place = f"{page.path.relative_to(ROOT)}:{fence.line + number}"
            yield place, page, list(fence.content[:number])


def links(page: Page, address: str) -> bool:
    """Whether the page links to that place, `install/index.md#before` for example."""
    file, _, anchor = address.partition("#")
    names = {f"#{anchor}"} if page.address == file else {address, address.rpartition("/")[2]}
    return any(link.target.removeprefix("../") in names for link in page.links)


# --- indexes and drivers --------------------------------------------------------------------------


def test_every_index_in_a_command_is_published() -> None:
    published = {build.tag for build in load_wheels(HERE).builds if build.published}
    found = 0
    for place, _, lines in commands(*SHELLS, "toml"):
        for tag in re.findall(r"(?:/whl|/pytorch-wheels)/(cu\d+)|torch-backend=(cu\d+)", lines[-1]):
            found += 1
            assert set(tag) - {""} <= published, f"{place}: no such index in data/wheels.yml"
    assert found > 10


def test_every_pinned_build_is_published() -> None:
    wheels = load_wheels(HERE)
    latest = {release.latest: release for release in wheels.releases}
    builds = {(build.torch, build.tag): build for build in wheels.builds if build.published}
    found = 0
    for place, _, lines in commands(*SHELLS, "text"):
        row = lines[-1].strip()
        for version, tag in re.findall(r"\btorch(?:==|-)([\d.]+)\+(cu\d+)", row):
            if row.startswith(("ERROR", "Your installed")):  # a message, not a command
                continue
            found += 1
            assert version in latest, f"{place}: {version} is no newest patch of data/wheels.yml"
            assert (latest[version].torch, tag) in builds, f"{place}: {version} has no {tag}"
    assert found > 4


def test_an_index_is_not_chosen_by_the_driver_alone() -> None:
    """Which index a driver runs depends on the GPU, too: a table that is made of both decides."""
    rule = "link to install/compatibility.md#choose, which looks at the GPU as well"
    found = 0
    for page in PAGES:
        if page.address == "install/compatibility.md":
            continue
        for line in page.lines:
            names_driver = re.search(
                r"\bR[45678]\d\d\b|(?:driver|驱动)\D{0,12}[45678]\d\d", line.text
            )
            if line.kind == "prose" and names_driver and re.search(r"`cu1\d\d`", line.text):
                found += 1
                place = f"{page.path.relative_to(ROOT)}:{line.number}"
                assert "compatibility.md#choose" in line.text, f"{place}: {rule}"
    assert found > 4


# --- virtual environments -------------------------------------------------------------------------


def test_a_virtual_environment_can_be_made_where_nothing_is_prepared() -> None:
    """Debian and Ubuntu have `python3`, not `python`, and no venv; PowerShell runs no scripts."""
    remedy = "link to install/index.md#before, which says what to prepare"
    found = 0
    for shell in SHELLS:
        for place, page, lines in commands(shell):
            made, activated = "-m venv" in lines[-1], "bin/activate" in lines[-1].replace("\\", "/")
            activated = activated or "Scripts/activate" in lines[-1].replace("\\", "/")
            if made and shell == "bash" and not any("activate" in line for line in lines[:-1]):
                assert lines[-1].startswith("python3 "), f"{place}: write python3, not python"
            if made or activated:
                found += 1
                assert links(page, "install/index.md#before"), f"{place}: {remedy}"
    assert found > 10


def test_a_variable_for_one_command_has_a_form_for_powershell() -> None:
    """`NAME=value command` is a form of bash alone."""
    found = 0
    for place, page, lines in commands("bash"):
        if not page.address.startswith(("install/", "check/", "answers/install")):
            continue
        if "linux" in page.address:
            continue
        if match := re.match(r"([A-Z_]+)=\S+ \S", lines[-1]):
            found += 1
            others = "\n".join(row for f in page.fences for row in f.content)
            assert f"$env:{match[1]} =" in others, f"{place}: add a tab for PowerShell"
    assert found


# --- pip ------------------------------------------------------------------------------------------


def test_torch_is_not_uninstalled_without_what_was_built_for_it() -> None:
    found = 0
    for place, _, lines in commands(*SHELLS):
        if "pip uninstall" in lines[-1]:
            found += 1
            left = {"torch", "torchvision", "torchaudio"} - set(lines[-1].split())
            assert not left, f"{place}: {', '.join(left)} would stay, built for another torch"
    assert found > 3


def test_what_a_build_needs_is_installed_where_pip_does_not_do_it() -> None:
    found = 0
    for place, _, lines in commands(*SHELLS):
        if "--no-build-isolation" in lines[-1]:
            found += 1
            before = " ".join(lines[:-1]).split()
            missing = {"packaging", "psutil", "ninja", "wheel"} - set(before)
            assert not missing, f"{place}: install {', '.join(sorted(missing))} first"
    assert found


def test_uv_takes_torchvision_from_where_it_takes_torch() -> None:
    found = 0
    for page, fence in fences("toml"):
        text = "\n".join(fence.content)
        if "[tool.uv.sources]" in text:
            found += 1
            sources = dict(re.findall(r"^(\w+) = \[\n(.*?)\n\]", text, re.M | re.S))
            place = f"{page.path.relative_to(ROOT)}:{fence.line}"
            assert sources["torch"] == sources.get("torchvision"), f"{place}: bind torchvision, too"
    assert found


# --- Docker ---------------------------------------------------------------------------------------


def test_a_container_gets_the_gpu_and_the_file_that_it_runs() -> None:
    found = 0
    for place, _, lines in commands("bash"):
        if "docker run" in lines[-1]:
            found += 1
            needs_none = "dry-run" in lines[-1]
            assert ("--gpus" in lines[-1]) is not needs_none, f"{place}: --gpus brings the GPU in"
            if re.search(r"\bpython\d? \S+\.py", lines[-1]):
                mounts = re.search(r" (?:-v|--volume|--mount)\b", lines[-1])
                assert mounts, f"{place}: the file is not in the container: mount its folder"
    assert found > 5


def test_the_container_toolkit_comes_from_a_repository_that_was_added() -> None:
    found = 0
    for place, _, lines in commands("bash"):
        if re.search(r"install .*nvidia-container-toolkit", lines[-1]):
            found += 1
            before = "\n".join(lines[:-1])
            added = "https://nvidia.github.io/libnvidia-container" in before
            mirror = "https://mirrors.ustc.edu.cn/libnvidia-container" in before
            # The mirror's list of sources names NVIDIA's server, so that has to be replaced, too.
            added = added or (mirror and "s#nvidia.github.io#mirrors.ustc.edu.cn#" in before)
            assert added, f"{place}: no distribution has it: add NVIDIA's repository first"
    assert found


# --- environments of processes --------------------------------------------------------------------

CODE = sorted(
    path
    for folder in ("snippets", "labs", "gpu_guide")
    for path in (ROOT / folder).rglob("*.py")
    if path.name != "doctor.py"
)


def test_gpus_are_hidden_by_a_value_that_windows_keeps() -> None:
    """On Windows an empty variable is no variable: the GPUs would stay visible."""
    empty = re.compile(r"""CUDA_VISIBLE_DEVICES["']?\]?\s*(?:=(?!=)|:)\s*(?:""|'')""")
    wrong = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in CODE
        for number, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if empty.search(row)
    ]
    assert not wrong, f'hide the GPUs with "-1": {", ".join(wrong)}'


def test_a_process_keeps_the_variables_that_lead_to_the_driver() -> None:
    """Without LD_LIBRARY_PATH some systems find no driver, and a program runs on the CPU."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in CODE
        if "gpu_guide" not in path.parts
        for line in made_of_nothing(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not wrong, f"begin the environment with **os.environ: {', '.join(wrong)}"


def made_of_nothing(tree: ast.AST) -> Iterator[int]:
    """The lines of calls whose `env=` is a dict without anything unpacked into it."""
    named = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        for value in (keyword.value for keyword in call.keywords if keyword.arg == "env"):
            value = named.get(value.id, value) if isinstance(value, ast.Name) else value
            if isinstance(value, ast.Dict) and None not in value.keys:
                yield call.lineno


# --- addresses ------------------------------------------------------------------------------------


def test_what_moved_away_from_a_page_is_still_found_there() -> None:
    """The headings keep their ids, and each section leads to the page that has the rest now."""
    moved = {
        "install/index": {
            "uv": "uv.md",
            "poetry": "uv.md#poetry",
            "proxy": "pip-fails.md",
            "disk": "pip-fails.md#disk",
            "downloads": "uv.md#downloads",
        },
    }
    for lang, (name, targets) in product(HERE.languages, moved.items()):
        (page,) = (page for page in PAGES if page.path == ROOT / "docs" / lang / f"{name}.md")
        lines = {heading.id: heading.line for heading in page.headings}
        ends = sorted([*lines.values(), 10**6])
        for anchor, target in targets.items():
            start = lines[anchor]
            end = ends[ends.index(start) + 1]
            here = {link.target for link in page.links if start < link.line < end}
            assert target in here, f"{page.path}: {anchor} does not lead to {target}"


@pytest.mark.parametrize("lang", HERE.languages)
@pytest.mark.parametrize(
    ("page", "to", "anchor"),
    [
        ("repair", "extensions", "rebuild"),
        ("repair", "extensions", "flash-attn"),
        ("repair", "extensions", "extension-trouble"),
        ("index", "toolkit", "libraries"),
        ("index", "toolkit", "extensions"),
    ],
)
def test_a_link_has_the_address_of_a_section_that_moved(
    lang: str, page: str, to: str, anchor: str
) -> None:
    text = (ROOT / "docs" / lang / f"install/{page}.md").read_text(encoding="utf-8")
    assert text.count(f"]({to}.md#{anchor}){{ #{anchor} }}") == 1

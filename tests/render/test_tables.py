"""The table fence: what it becomes in each language, and where it fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from malformed_data import TEXTS
from rendering import rendered
from small_guides import begin

from gpu_guide.data.wheels import load_wheels, runs
from gpu_guide.pages.structure import check
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.wheel_tables import TABLES
from gpu_guide.render.words import Words

EN = Words("en")
MORE = """
- kind: build
  torch: "2.15"
  cuda: "13.0"
  source: pypi
  read: 2026-11-20
  unchecked: [x86_64, aarch64, published]

- kind: build
  torch: "2.15"
  cuda: "12.6"
  published: false
  source: pypi
  read: 2026-11-21

- kind: driver
  cuda: "12"
  linux: "525"
  windows: "528.33"
  source: pypi
  read: 2026-11-21
  unchecked: [windows]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    snippet = "start/create.py"
    shown = (HERE.snippets / snippet).read_text(encoding="utf-8")
    files = {"data/wheels.yml": TEXTS["wheels"] + MORE, f"snippets/{snippet}": shown}
    return begin(tmp_path, files=files).root


@pytest.fixture
def render(project):
    def render(text: str, lang: str = "en") -> str:
        return rendered(text, lang, "admonition", "pymdownx.tabbed", root=project)

    return render


def fence(*lines: str) -> str:
    return "\n".join(["```table", *lines, "```"])


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [
        [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in rows
    ]


def test_a_table_is_in_the_language_of_the_page(render) -> None:
    assert cells(render(fence("wheels/pip"))) == [
        ["torch", "Linux x86-64", "Linux Arm", "Windows", "Mac (Apple silicon)"],
        ["2.15", "CUDA 13.2", "CUDA 13.2", "CPU-only", "no wheel"],
    ]
    zh = render(fence("wheels/pip"), "zh")
    assert cells(zh)[1] == ["2.15", "CUDA 13.2", "CUDA 13.2", "CPU 版", "没有 wheel"]
    assert "来源（2026-11-21 读取）：" in zh and "元数据</a>" in zh


def test_what_was_not_checked_says_so(render) -> None:
    rows = cells(render(fence("wheels/compatibility")))[1:]
    assert rows == [
        ["cu132", "2.15", "≥ 580", "≥ 580", "Turing"],
        ["cu130", "2.15 (not checked)", "≥ 580", "≥ 580", "not checked"],
    ]
    (row,) = cells(render(fence("wheels/releases"), "zh"))[1:]
    assert row[2] == "cu132、cu130（未核实）、cu126（不再发布）"


def test_drivers_are_those_of_the_data_for_each_system(render, project: Path) -> None:
    data = TEXTS["wheels"].replace('windows: "580"', 'windows: "581"') + MORE
    (project / "data" / "wheels.yml").write_text(data, encoding="utf-8")
    assert cells(render(fence("wheels/drivers")))[1:] == [
        ["13.x", "≥ 580", "≥ 581"],
        ["12.x", "≥ 525", "≥ 528.33 (not checked)"],
    ]


def test_the_index_for_a_gpu_and_a_driver_has_code_for_the_one_and_runs_on_the_other() -> None:
    wheels = load_wheels(HERE)
    head, *rows = cells(TABLES["wheels/choice"](wheels, EN).html(EN))
    oldest = [float(re.search(r"\d+", text)[0]) for text in head[2:]]
    assert oldest == sorted(oldest, reverse=True) and len(oldest) == len(wheels.drivers)
    shown, tall = 0, []
    for gpu, row in zip(wheels.generations, rows, strict=True):
        tall = row[2:] or tall  # a taller cell stands for this row, too
        for text, driver in zip(tall, oldest, strict=True):
            able = [
                build
                for build in wheels.builds
                if build.published
                and "published" not in build.unchecked
                and float(wheels.driver(build).linux) <= driver
                and build.x86_64
                and all(runs(build.x86_64, capability) for capability in gpu.capabilities)
            ]
            newest = max((version(build.torch) for build in able), default=None)
            told = {f"{b.tag}, torch {b.torch}" for b in able if version(b.torch) == newest}
            assert text in (told or {"none"}), f"{gpu.name}, driver {driver}: {text}"
            shown += text in told
    assert shown > 5 and tall[-1] == "none", "Blackwell is newer than any driver for CUDA 11"


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_what_is_the_same_for_several_rows_stands_there_once(render, project: Path) -> None:
    more = """
- kind: generation
  name: Ampere
  capabilities: ["7.5"]
  cards: [A100, A10]
  source: pypi
  read: 2026-11-21
"""
    (project / "data" / "wheels.yml").write_text(TEXTS["wheels"] + more, encoding="utf-8")
    html = render(fence("wheels/generations"))
    assert cells(html)[1:] == [
        ["Turing", "7.5", "T4", "cu132 2.15"],
        ["Ampere", "7.5", "A100, A10"],
    ]
    assert '<td rowspan="2"><code>cu132</code> 2.15</td>' in html


def test_sources_are_named_with_the_day_of_reading(render) -> None:
    html = render(fence("wheels/compatibility"))
    assert 'Sources, read 2026-11-20: <a href="https://example.org/">metadata</a>' in html
    assert '<th scope="row"><code>cu132</code></th>' in html


def test_it_works_inside_tabs_admonitions_and_lists(render) -> None:
    body = fence("wheels/pip").replace("\n", "\n    ")
    for opening in ('=== "One"', "!!! note", "- item"):
        html = render(f"{opening}\n\n    {body}\n")
        assert html.count("<table>") == 1 and "```" not in html


def test_a_fence_shown_inside_a_fence_is_left_alone(render) -> None:
    html = render(f"````text\n{fence('wheels/pip')}\n````\n")
    assert "<table>" not in html and "wheels/pip" in html


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", TABLES)
def test_every_table_of_the_project_is_whole(name: str, lang: str) -> None:
    say = Words(lang)
    html = TABLES[name](load_wheels(HERE), say).html(say)
    head, *rows = cells(html)
    assert all(cell for row in rows for cell in row), "a cell is empty"
    below = sum(int(rows) - 1 for rows in re.findall(r'rowspan="(\d+)"', html))
    assert len(rows) > 2 and sum(map(len, rows)) + below == len(rows) * len(head)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (fence("wheels/pipp"), 7, "no table 'wheels/pipp' — did you mean 'wheels/pip'?"),
        (
            fence("q"),
            7,
            "no table 'q' — there are: multi-gpu/sent, tools/editors, tools/programs",
        ),
        (fence(), 7, "not one name in a table fence — write the name of one table"),
        (fence("wheels/pip", "wheels/arm"), 7, "not one name"),
        ("```snippet\nstart/create\n```\n\n" + fence("q"), 11, "no table 'q'"),
        (fence("wheels/pip") + "\n\n```snippet\nq\n```", 11, "no snippet 'q'"),
        ("```table\nwheels/pip", 7, "the fence is not closed"),
    ],
)
def test_a_fence_that_cannot_be_rendered_names_page_and_line(
    render, project: Path, text: str, line: int, says: str
) -> None:
    page = project / "docs" / "en" / "topic.md"
    page.write_text(f"---\ntitle: T\n---\n\n# T\n\n{text}\n", encoding="utf-8")
    with pytest.raises(GuideError) as caught:
        render(f"\n# T\n\n{text}\n")
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{page.as_posix()}:{line}: ")


def test_both_languages_of_a_page_show_the_same_tables(project: Path) -> None:
    for lang, name in (("zh", "wheels/pip"), ("en", "wheels/arm")):
        text = f"# T\n\n{fence(name)}\n"
        (project / "docs" / lang / "topic.md").write_text(text, encoding="utf-8")
    found = [str(problem) for problem in check(Project(project), [])]
    says = "topic.md:3: table or plot 1 differs: table wheels/pip in "
    assert any(says in problem for problem in found), found


def test_malformed_data_stop_the_build(render, project: Path) -> None:
    (project / "data" / "wheels.yml").write_text(
        TEXTS["wheels"].replace("kind: driver", "kind: d"), "utf-8"
    )
    with pytest.raises(ValueError, match=r"wheels\.yml:7: kind: 'd'"):
        render(fence("wheels/pip"))

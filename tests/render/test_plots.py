"""Plots: data/plots.yml, what is read from a record, what is drawn, and where each fails."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fake_environments import GPU
from malformed_data import TEXTS
from rendering import rendered
from small_guides import begin

from gpu_guide.data.plots import load_plots, points
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records.store import Entry, Record, write
from gpu_guide.render import plot_svg
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import Printed, load_snippets, parse

SNIPPET = '''"""Time by size.

用时随大小变化。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

for size in (8, 64):
    print(size)
'''
SPREAD = """
- name: a/spread
  snippet: a/time
  kind: KIND
  line: '(?P<x>\\d+): (?P<cpu>\\S+) (?P<cpu_low>\\S+) (?P<cpu_high>\\S+) (?P<gpu>\\S+)|-.*'
  series:
    - {key: cpu, zh: 处理器, en: CPU, peak: fp32}
    - {key: gpu, zh: 显卡, en: GPU, peak: fp16}
  zh: {title: 用时, x: 大小, y: 毫秒}
  en: {title: Time, x: size, y: milliseconds}
"""
H100 = replace(GPU, gpu="NVIDIA H100", driver="580.0", torch="2.13.0", python="3.12.3")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "snippets" / "a").mkdir(parents=True)
    (tmp_path / "snippets" / "a" / "time.py").write_text(SNIPPET, encoding="utf-8")
    return begin(tmp_path, files={"data/plots.yml": TEXTS["plots"]}).root


def record(project: Path, *texts: str, environment: Environment = H100) -> Record:
    snippet = load_snippets(Project(project))["a/time"]
    seconds = None if environment.stand_in else 1.0
    entry = Entry(snippet.sha256, tuple(Printed(0, text) for text in texts), seconds)
    made = Record(environment, {"a/time": entry})
    write(made, project / "records")
    return made


def render(project: Path, text: str, lang: str = "en") -> str:
    return rendered(text, lang, root=project)


FENCE = "```plot\na/time\n```\n"


def test_without_a_record_the_page_says_so(project):
    assert "No record yet" in render(project, FENCE)
    assert "还没有记录" in render(project, FENCE, "zh")
    assert "<svg" not in render(project, FENCE)


def test_a_record_of_older_code_is_not_drawn(project):
    record(project, "8: 1 2", "64: 3 1")
    file = project / "snippets" / "a" / "time.py"
    file.write_text(SNIPPET.replace("64", "65"), encoding="utf-8")
    assert "No record yet" in render(project, FENCE)


def test_the_clocks_of_the_gpu_stand_below_its_chart(project):
    clocks = "SM 1980 MHz, memory 2619 MHz, 700 W"
    record(project, "8: 1 2", "64: 3 1", environment=replace(H100, clocks=clocks))
    assert f"highest clocks and power limit: {clocks}" in render(project, FENCE)
    assert f"最高频率和功耗上限：{clocks}" in render(project, FENCE, "zh")


def test_what_is_drawn_is_what_was_printed(project):
    record(project, "two cores", "8: 1 200", "64: 100 2")
    html = render(project, FENCE)
    assert "NVIDIA H100, torch 2.13.0, CUDA 13.0, driver 580.0, 2026-11-21 · two cores" in html
    assert "<td>8</td><td>1</td><td>200</td>" in html
    svg = ElementTree.fromstring(re.search(r"<svg.*</svg>", html)[0])
    found = [element.get("d") for element in svg.iter() if "line s" in element.get("class", "")]
    cpu, gpu = ([tuple(map(float, p.split())) for p in path[1:].split("L")] for path in found)
    assert [x for x, _ in cpu] == [x for x, _ in gpu] and cpu[0][0] < cpu[1][0]
    # The height falls on the page as the value grows: CPU rises, GPU falls; 1 is below 2.
    assert cpu[0][1] > cpu[1][1] and gpu[0][1] < gpu[1][1] and cpu[0][1] > gpu[1][1]
    assert "GPU &amp; more" in html


def test_every_machine_has_its_own_chart(project):
    record(project, "8: 1 2", "64: 3 1")
    other = replace(H100, id="nvidia-t4", gpu="NVIDIA T4")
    record(project, "8: 1 2", "64: 3 4", environment=other)
    html = render(project, FENCE)
    assert html.count("<svg") == 2 and "NVIDIA T4, torch" in html


def test_machines_that_printed_the_same_share_a_chart(project):
    record(project, "8: 1 2", "64: 3 1")
    other = replace(H100, id="nvidia-t4", gpu="NVIDIA T4")
    record(project, "8: 1 2", "64: 3 1", environment=other)
    html = render(project, FENCE)
    assert html.count("<svg") == html.count("plot__evidence") == 1
    assert re.search(r"NVIDIA H100, torch [^<]* · [^<]*NVIDIA T4, torch", html)


def test_a_stand_in_is_drawn_only_while_no_gpu_is(project):
    stand_in = {"id": "stand-in-h100-torch-2.13.0", "stand_in": "h100"}
    record(project, "8: 1 2", "64: 3 5", environment=replace(H100, **stand_in))
    html = render(project, FENCE)
    assert html.count("<svg") == 1 and "no hardware" in html and "<td>5</td>" in html
    record(project, "8: 1 2", "64: 3 4")
    html = render(project, FENCE)
    assert html.count("<svg") == 1 and "no hardware" not in html and "<td>4</td>" in html


def test_bars_are_as_long_as_their_values(project):
    record(project, "8: 50 x", "half: 25 x")
    html = render(project, "```plot\na/bars\n```\n")
    widths = [float(width) for width in re.findall(r'class="bar s0"[^>]* width="([\d.]+)"', html)]
    assert widths[0] == 2 * widths[1]
    assert ">eight<" in html and ">half<" in html
    assert ">八<" in render(project, "```plot\na/bars\n```\n", "zh")


def rectangles(html: str) -> list[tuple[int, float, float, float]]:
    """Of each bar the number of its series, where it begins, how wide and how high it is."""
    found = re.findall(
        r'class="bar s(\d)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="(\d+)"', html
    )
    return [(int(series), float(x), float(width), float(tall)) for series, x, width, tall in found]


def test_parts_of_a_stacked_bar_stand_one_behind_the_other():
    html = plot_svg.stacked(["a", "b"], [("one", [30, 0]), ("two", [10, 20])], "t")
    keys, pieces = rectangles(html)[:2], rectangles(html)[2:]
    assert [key[0] for key in keys] == [0, 1]
    assert [(series, tall) for series, _, _, tall in pieces] == [(0, 20), (1, 20), (1, 20)]
    (_, start, first, _), (_, behind, second, _), (_, alone, third, _) = pieces
    assert behind == start + first and alone == start  # what is 0 is left out
    assert first == 3 * second and third == 2 * second
    assert ">40<" in html and ">20<" in html


def spread_as(project: Path, kind: str) -> None:
    file = project / "data" / "plots.yml"
    file.write_text(TEXTS["plots"] + SPREAD.replace("KIND", kind), encoding="utf-8")
    for name in ("gpus", "cards", "wheels"):
        known = (HERE.root / "data" / f"{name}.yml").read_text(encoding="utf-8")
        (project / "data" / f"{name}.yml").write_text(known, encoding="utf-8")


def thin_lines(html: str) -> list[tuple[float, ...]]:
    """Of each thin line where it begins and ends."""
    found = re.findall(r'class="spread" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', html)
    return [tuple(map(float, ends)) for ends in found]


@pytest.mark.parametrize("kind", ["lines", "steps"])
def test_a_spread_is_a_thin_line_through_its_value(project, kind):
    spread_as(project, kind)
    record(project, "8: 20 10 40 3", "64: 50 45 300 4")
    html = render(project, "```plot\na/spread\n```\n")
    dots = [tuple(map(float, at)) for at in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', html)]
    found = thin_lines(html)
    assert len(found) == 2  # those of the CPU, which alone has a spread
    for (x, y), (at, low, to, high) in zip(dots, found, strict=False):
        assert at == to == x and high < y < low  # upwards on the page the numbers fall
    assert min(high for _, _, _, high in found) > 0  # the axis has room for 300
    assert "<td>20 (10–40)</td><td>3</td>" in html and "medians; thin lines" in html


def test_a_spread_crosses_the_end_of_its_bar(project):
    spread_as(project, "bars")
    record(project, "8: 20 10 40 3", "64: 30 25 32 4")
    html = render(project, "```plot\na/spread\n```\n")
    ends = [x + width for series, x, width, _ in rectangles(html) if series == 0]
    found = thin_lines(html)
    assert len(found) == 2
    assert all(low < end < high for end, (low, _, high, _) in zip(ends, found, strict=True))
    written = [float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*>20<', html)]
    assert found[0][2] < written[0] < plot_svg.WIDTH  # the number stands behind it


def test_a_plot_without_a_spread_says_nothing_of_one(project):
    record(project, "8: 1 2")
    assert "medians" not in render(project, FENCE)


def test_the_peak_of_a_gpu_is_said_where_it_is_known(project):
    spread_as(project, "lines")
    fence = "```plot\na/spread\n```\n"
    known = replace(H100, gpu="NVIDIA H100 80GB HBM3")
    record(project, "8: 20 10 40 3", environment=known)
    assert "peak of the H100 SXM5 80 GB (TFLOPS, dense): CPU 67, GPU 989" in render(project, fence)
    assert "处理器 67、显卡 989" in render(project, fence, "zh")
    record(project, "8: 20 10 40 3", environment=replace(known, gpu="NVIDIA H1000"))
    assert "peak of" not in render(project, fence)


def test_a_line_that_another_plot_draws_is_no_note(project):
    spread_as(project, "lines")
    made = record(project, "8: 20 10 40 3", "- 8: 20", "two cores")
    snippet = load_snippets(Project(project))["a/time"]
    held = points(load_plots(Project(project))["a/spread"], snippet, made)
    assert [x for x, _ in held.rows] == ["8"] and held.notes == ("two cores",)


def test_lines_that_match_nothing_are_an_error(project):
    made = record(project, "8 - 1 - 2")
    snippet = load_snippets(Project(project))["a/time"]
    plot = load_plots(Project(project))["a/time"]
    with pytest.raises(ValueError, match=r"plot 'a/time': no line .* nvidia-h100 .* correct"):
        points(plot, snippet, made)


@pytest.mark.parametrize(
    ("fence", "says"),
    [
        ("a/tine", "no plot 'a/tine' — did you mean 'a/time'?"),
        ("zzz", "there are: a/time, a/bars"),
        ("", "not one name in a plot fence"),
    ],
)
def test_a_fence_that_names_no_plot(project, fence, says):
    (project / "docs" / "en" / "p.md").write_text(f"# T\n\n```plot\n{fence}\n```\n", "utf-8")
    with pytest.raises(GuideError, match=re.escape(says)) as raised:
        render(project, f"# T\n\n```plot\n{fence}\n```\n")
    assert "en/p.md:3: " in str(raised.value)


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ("nothing that is a point", "no line that a/time printed on nvidia-h100 matches"),
        ("8: many 2", "plot 'a/time': 'many' is no number"),
        ("8: 0 2", "nvidia-h100 cannot be drawn: a logarithmic axis needs positive numbers"),
    ],
)
def test_a_record_that_cannot_be_drawn_names_the_page(project, printed, says):
    record(project, printed)
    (project / "docs" / "en" / "p.md").write_text(f"# T\n\n{FENCE}", "utf-8")
    with pytest.raises(GuideError, match=re.escape(says)) as raised:
        render(project, f"# T\n\n{FENCE}")
    assert "en/p.md:3: " in str(raised.value) and "in data/plots.yml" in str(raised.value)


def test_snippets_are_parsed_once_for_all_plots_of_a_build(project, monkeypatch):
    record(project, "8: 1 2")
    parsed = []
    monkeypatch.setattr("gpu_guide.snippets.model.parse", lambda *a: parsed.append(a) or parse(*a))
    assert render(project, FENCE * 2) and render(project, FENCE, "zh")
    assert len(parsed) == 1

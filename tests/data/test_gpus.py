"""The table of GPUs: its figures by SMs and clock, dense apart from sparse, and malformed files."""

from __future__ import annotations

import ast
import re
from collections import Counter
from datetime import date
from itertools import product
from pathlib import Path

import pytest
from malformed_data import TEXTS, begin_with
from rendering import rendered

from gpu_guide import ROOT
from gpu_guide.data.gpus import GROUPS, TYPES, load_gpus
from gpu_guide.data.pictures import load_pictures
from gpu_guide.data.stale_facts import old
from gpu_guide.pages.chinese import check_yaml
from gpu_guide.pictures.canvas import Box
from gpu_guide.project import HERE
from gpu_guide.render.gpu_tables import TABLES
from gpu_guide.render.picture import canvas_of
from gpu_guide.render.words import Words

GPUS = load_gpus(HERE)
BY_NAME = {gpu.name: gpu for gpu in GPUS.gpus}


def test_the_table_has_what_readers_have() -> None:
    for group in GROUPS:
        assert sum(gpu.group == group for gpu in GPUS.gpus) >= 10, group
    known = {GPUS.capability(gpu) for gpu in GPUS.gpus}
    assert known >= {"6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"}


def test_published_figures_are_those_of_sms_and_clock() -> None:
    """What the loader refuses, written out: SMs × multiply-adds × 2 × clock."""
    for gpu, kind in product(GPUS.gpus, TYPES):
        design = GPUS.designs[gpu.design]
        clock = gpu.clock_mhz if kind == "fp32" else gpu.tensor_clock_mhz or gpu.clock_mhz
        rate = {"fp32": design.fp32, "fp16": design.fp16, "fp8": design.fp8}[kind]
        expected = gpu.sms * rate * 2 * clock * 1e6 / 1e12
        figure = GPUS.tflops(gpu, kind)
        if figure is None:
            assert not expected, gpu
        elif expected:
            assert figure.value == pytest.approx(expected, rel=0.025), gpu
        if sparse := gpu.published.get(f"{kind}_sparse"):
            assert float(sparse) == pytest.approx(2 * figure.value, rel=0.025), gpu


def test_a_sparse_figure_is_never_shown() -> None:
    for gpu in GPUS.gpus:
        for kind in TYPES:
            figure, sparse = GPUS.tflops(gpu, kind), gpu.published.get(f"{kind}_sparse")
            assert figure is None or sparse is None or figure.value < 0.6 * float(sparse)


def test_a_laptop_has_no_tflops_because_its_maker_sets_the_clock() -> None:
    laptops = [gpu for gpu in GPUS.gpus if gpu.group == "laptop"]
    assert all(GPUS.tflops(gpu, kind) is None for gpu in laptops for kind in TYPES)


@pytest.mark.parametrize(
    ("driver", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB"),
        ("NVIDIA H200", "H200 SXM 141 GB"),
        ("NVIDIA A100-SXM4-40GB", "A100 SXM4 40 GB"),
        ("Tesla T4", "T4"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("NVIDIA GeForce RTX 5090", "RTX 5090"),
        ("NVIDIA GeForce RTX 3080", None),  # two cards are called so, with other SMs
        ("", None),
    ],
)
def test_a_card_is_found_by_what_its_driver_calls_it(driver: str, name: str | None) -> None:
    found = GPUS.of_driver(driver)
    assert (found.name if found else None) == name


def test_no_two_cards_have_one_drivers_name() -> None:
    assert len(GPUS.drivers) == len(GPUS.gpus)


def test_snippets_use_the_figures_of_the_table() -> None:
    tree = ast.parse((HERE.snippets / "speed/peak_from_clock.py").read_text(encoding="utf-8"))
    found = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    for name, (sms, fma, mhz) in ast.literal_eval(found).items():
        gpu = BY_NAME[name]
        assert (sms, fma) == (gpu.sms, GPUS.designs[gpu.design].fp16)
        assert mhz == (gpu.tensor_clock_mhz or gpu.clock_mhz)
    a100 = BY_NAME["A100 SXM4 40 GB"]
    source = (HERE.snippets / "speed/bound_by.py").read_text(encoding="utf-8")
    assert f"BYTES_PER_SECOND = {a100.bandwidth_gbs}e9" in source
    assert f"FLOPS_PER_SECOND = {a100.published['fp16']}e12" in source
    source = (HERE.snippets / "speed/mfu_of_a_step.py").read_text(encoding="utf-8")
    assert f"PEAK, SECONDS = {GPUS.tflops(BY_NAME['RTX 4090'], 'fp16').value:.0f}e12" in source


def test_the_picture_of_a_gpu_is_drawn_from_the_data() -> None:
    """As many small boxes as SMs; the text for who does not see it names the same figures."""
    picture = load_pictures(HERE)["speed/inside-a-gpu"]
    (chip,) = GPUS.chips
    gpu = BY_NAME[chip.gpu]
    assert picture.content == {"name": chip.gpu}
    for lang in HERE.languages:
        marks = canvas_of(picture, HERE, Words(lang)).marks
        boxes = [mark for mark in marks if isinstance(mark, Box)]
        sizes = Counter((round(box.width, 3), round(box.height, 3)) for box in boxes)
        assert sizes[min(sizes)] == gpu.sms
        assert sum(count == 2 * chip.partitions for count in sizes.values()) == 1
        told = set(map(int, re.findall(r"(?<![A-Z])\d+", picture.texts[lang]["text"])))
        figures = {gpu.sms, gpu.memory_gb, gpu.bandwidth_gbs, chip.l2_mib, chip.bus_gbs}
        assert figures | {chip.registers_kib, chip.shared_kib} <= told


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_page_about_the_inside_uses_the_figures(lang: str) -> None:
    (chip,) = GPUS.chips
    gpu = BY_NAME[chip.gpu]
    page = (ROOT / "docs" / lang / "speed/how-a-gpu-is-built.md").read_text(encoding="utf-8")
    for figure in (gpu.sms, gpu.bandwidth_gbs, chip.bus_gbs, gpu.published["fp16"]):
        assert f"{figure}" in page
    waves = (HERE.snippets / "speed/waves.py").read_text(encoding="utf-8")
    assert f"SMS = {gpu.sms}\n" in waves
    tiles = (HERE.snippets / "speed/reuse_in_tiles.py").read_text(encoding="utf-8")
    assert f"BYTES_PER_SECOND = {gpu.bandwidth_gbs}e9" in tiles
    assert f"FLOPS_PER_SECOND = {gpu.published['fp16']}e12" in tiles
    rates = [design for design in GPUS.designs.values() if design.fp16]
    assert {64, 128} == {design.fp32 for design in rates}
    assert min(design.fp16 for design in rates) == 256


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_page_says_what_the_table_says(lang: str) -> None:
    page = (ROOT / "docs" / lang / "reference/gpus.md").read_text(encoding="utf-8")
    fences = re.findall(r"```table\n(\S+)\n```", page)
    assert set(fences) == set(TABLES) - {"gpus/levels"}
    for name in ("T4", "A100 SXM4 80 GB", "H100 SXM5 80 GB"):
        assert BY_NAME[name].published["fp16"] in page
    assert BY_NAME["H100 SXM5 80 GB"].published["fp16_sparse"] in page
    assert f"{GPUS.tflops(BY_NAME['RTX 5090'], 'fp16').value:.0f}" in page
    assert f"{BY_NAME['RTX 4090'].sms}" in page and f"{BY_NAME['RTX 4090 Laptop'].sms}" in page
    seventh = GPUS.tflops(BY_NAME["H20 96 GB"], "fp16").value * 7
    assert seventh == pytest.approx(float(BY_NAME["H100 SXM5 80 GB"].published["fp16"]), rel=0.1)


@pytest.mark.parametrize("lang", HERE.languages)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_cell_for_each_head_and_its_sources(name: str, lang: str) -> None:
    html = rendered(f"```table\n{name}\n```", lang)
    say = Words(lang)
    table = TABLES[name](GPUS, say)
    assert table.html(say) in html and "`" not in html
    assert {len(row) for row in table.rows} == {len(table.heads)}
    assert table.sources and all(url.startswith("https://") for url, _ in table.sources[0][1])


def test_the_table_of_needs_agrees_with_the_wheels() -> None:
    rows = {row[0]: row for row in TABLES["gpus/needs"](GPUS, Words("en")).rows}
    assert rows["7.5"][2:4] == ["no", "no"] and rows["8.0"][2:4] == ["yes", "no"]
    assert rows["8.9"][2:4] == rows["12.0"][2:4] == ["yes", "yes"]
    assert "cu126" in rows["6.1"][4] and "2.14" in rows["6.1"][4] and rows["6.1"][5] == "525–580"
    for capability, row in rows.items():
        builds = [b for b in GPUS.wheels.builds if f"<code>{b.tag}</code>" in row[4]]
        assert any(GPUS.wheels.covers(build, capability) for build in builds)
    assert rows.keys() == {GPUS.capability(gpu) for gpu in GPUS.gpus}


def test_the_chinese_is_good() -> None:
    assert not check_yaml(HERE.gpus.read_text(encoding="utf-8"))


def test_the_small_file_is_right(tmp_path: Path) -> None:
    gpus = load_gpus(begin_with("gpus", TEXTS["gpus"], tmp_path))
    assert gpus.gpus[0].sms == 132 and gpus.tflops(gpus.gpus[0], "fp16").value == 989


def test_a_fact_older_than_a_year_is_a_notice(tmp_path: Path) -> None:
    text = TEXTS["gpus"].replace("11-22\n\n- kind: gpu", "11-20\n\n- kind: gpu")
    project = begin_with("gpus", text.replace("2026-11-20", "2025-11-20"), tmp_path)
    found = [str(notice) for notice in old(project, date(2026, 11, 22))]
    assert len(found) == 1 and "gpus.yml:7: hopper: read on 2025-11-20" in found[0]
    assert not list(old(HERE, date(2026, 11, 22)))
    assert list(old(HERE, date(2028, 1, 1)))

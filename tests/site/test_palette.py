"""What a colour means is one palette's to say: pictures, plots and tools have no other."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from gpu_guide import ROOT
from gpu_guide.labs.svg import _COLOURS

ASSETS = ROOT / "theme" / "assets"
SHEET = (ASSETS / "guide.css").read_text(encoding="utf-8")
PALETTE = dict(re.findall(r"--(\w+): (#[0-9a-f]+)", re.findall(r":root \{ (--cpu.*)\}", SHEET)[0]))
HOLD_WORDS = ("cpu", "gpu", "copy", "other", "s0", "s3", "s6")
LIGHT, DARK = ("#ffffff", "#f6f7f9"), ("#14181f", "#1b2029")
"""The page and what is raised from it or holds code, in each scheme."""
LITERAL = re.compile(r"#[0-9a-fA-F]{3,8}\b(?!['\"`]?\))|\b(?:rgb|hsl)a?\(")


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_papers_are_those_of_the_sheet() -> None:
    for paper in (LIGHT[1], *DARK):
        assert f"-color: {paper};" in SHEET
    assert {"--guide-raised: #fff;", "--guide-raised: #1b2029;"} <= set(
        re.findall(r"--guide-raised: \S+", SHEET)
    )


@pytest.mark.parametrize("name", sorted(PALETTE.keys() - {"on"}))
def test_a_colour_is_seen_on_every_paper_and_can_be_written_on(name: str) -> None:
    """WCAG's 3 for what is drawn, 4.5 for words."""
    for paper in (*LIGHT, *DARK):
        assert contrast(PALETTE[name], paper) >= 3, paper
    if name in HOLD_WORDS:
        assert contrast(PALETTE[name], PALETTE["on"]) >= 4.5


@pytest.mark.parametrize("papers", [LIGHT, DARK], ids=["light", "dark"])
def test_later_stages_of_a_pipeline_are_seen_and_can_be_written_on(papers: tuple[str, str]) -> None:
    """They are mixed with the color of the words; the number in them has that of the paper."""
    sheet = (ASSETS / "schedules.css").read_text(encoding="utf-8")
    shares = [int(share) for share in re.findall(r"fg-color\) (\d+)%", sheet)]
    tasks = [PALETTE[name] for name in re.findall(r"--guide-task: var\(--(\w+)\)", sheet)]
    assert len(shares) == 2 and len(tasks) == 3 and "filter" not in sheet
    light, dark = re.findall(r"--md-default-fg-color: (#\w+);", SHEET)
    words = light if papers == LIGHT else dark
    for task in tasks:
        stages = [mixed(task, words, share) for share in (0, *shares)]
        assert all(contrast(stage, paper) >= 3 for stage in stages for paper in papers)
        assert all(contrast(stage, papers[0]) >= 4.5 for stage in stages[1:])
        assert all(contrast(*pair) >= 1.3 for pair in pairwise(stages))


def mixed(one: str, other: str, share: int) -> str:
    """As `color-mix` in sRGB does."""
    parts = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share / 100):02x}" for a, b in parts)


def test_pictures_plots_and_tools_have_no_other_colours() -> None:
    sheets = [path for path in ASSETS.glob("*.css") if path.name != "guide.css"]
    drawing = [*(ROOT / "gpu_guide" / "pictures").glob("*.py"), *ASSETS.glob("*.js")]
    drawing += [ROOT / "gpu_guide" / "render" / name for name in ("plot_svg.py", "plot.py")]
    found = [
        f"{path.name}: {line.strip()}"
        for path in (*sheets, *drawing)
        for line in path.read_text(encoding="utf-8").splitlines()
        if LITERAL.search(re.sub(r"//.*|/\*.*|mask-image: .*", "", line))
    ]
    assert found == []
    assert [to for to in _COLOURS.values() if not re.fullmatch(r"var\(.*\)|currentColor", to)] == []


def test_every_colour_of_the_palette_is_used_and_no_other_is_meant() -> None:
    sheets = "".join(path.read_text(encoding="utf-8") for path in ASSETS.glob("*.css"))
    used = set(re.findall(r"var\(--((?!md-|guide-)[a-z]\w*)\)", sheets + str(_COLOURS)))
    assert used - {"from"} == set(PALETTE)

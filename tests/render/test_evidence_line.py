"""The line below code: one short phrase, and the rest behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_environments import GPU, NO_GPU

from gpu_guide.project import HERE
from gpu_guide.records.evidence import NotRecorded, OnCpu, OnMachine, Origin, Processes, Simulated
from gpu_guide.render import provenance
from gpu_guide.render.snippet import LONG, figure
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import load_snippets

CPU = OnCpu("2.13.0", Processes(2, "gloo"))
STAND_IN = OnMachine(replace(GPU, stand_in="h100"))


@pytest.mark.parametrize(
    ("origins", "en", "zh"),
    [
        ([CPU], "Ran on CPU", "运行环境：CPU"),
        (
            [CPU, STAND_IN, STAND_IN],
            "Ran on CPU and a stand-in GPU",
            "运行环境：CPU、替身 GPU",
        ),
        (
            [CPU, OnMachine(NO_GPU), OnMachine(GPU)],
            f"Ran on CPU and {GPU.gpu}",
            f"运行环境：CPU、{GPU.gpu}",
        ),
        ([Simulated(2)], "Ran on simulated GPUs", "运行环境：模拟 GPU"),
        (
            [NotRecorded()],
            "Needs a GPU: not recorded yet",
            "需要 GPU：还没有记录",
        ),
    ],
)
def test_where_code_ran_is_one_phrase(origins: list[Origin], en: str, zh: str) -> None:
    assert provenance.where(origins, Words("en")) == en
    assert provenance.where(origins, Words("zh")) == zh


def test_versions_and_days_are_behind_the_phrase() -> None:
    snippet = next(iter(load_snippets(HERE).values()))
    html = figure(snippet, Words("en"), [], "2.13.0", 1)
    line = html.partition('<details class="snippet__evidence">')[2]
    phrase, _, rest = line.partition("</summary>")
    assert "torch 2.13.0" in rest and "torch" not in phrase
    assert "reference/stand-in/#words" in rest


def test_long_code_says_how_long_it_is_and_short_code_does_not() -> None:
    for snippet in load_snippets(HERE).values():
        if snippet.needs.kind == "cpu":
            html = figure(snippet, Words("en"), [], "2.13.0", 1)
            lines = html.partition("<code>")[2].partition("</code>")[0].count("\n")
            assert (f'aria-label="all {lines} lines"' in html) == (lines > LONG), snippet.name

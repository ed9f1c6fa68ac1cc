"""What a plot draws: axes, labels and numbers."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from gpu_guide.render import plot_svg


def test_linear_axes_begin_at_0_and_end_at_a_round_number():
    html = plot_svg.steps([1, 2, 3], [("a", [0, 300, 602])], "x", "y", "t")
    heights = dict(re.findall(r'y="([\d.]+)" text-anchor="end">(\d+)<', html))
    ticks = sorted((int(tick), float(y)) for y, tick in heights.items())
    assert [tick for tick, _ in ticks] == [0, 200, 400, 600, 800]
    gaps = [low - high for (_, low), (_, high) in pairwise(ticks)]
    assert max(gaps) - min(gaps) < 0.3
    dots = [float(y) for y in re.findall(r'<circle[^>]* cy="([\d.]+)"', html)]
    assert dots[0] > dots[1] > dots[2]


def test_a_linear_axis_has_no_negative_numbers():
    with pytest.raises(ValueError, match="negative"):
        plot_svg.steps([1, 2], [("a", [-1, 5])], "x", "y", "t")


def test_numbers_are_short_and_without_exponent():
    given = (0.000123, 0.0456, 0.1, 1.0, 12.345, 1234.5, 100000.0, 0)
    said = ["0.000123", "0.0456", "0.1", "1", "12.3", "1234", "100000", "0"]
    assert [plot_svg.number(value) for value in given] == said


def test_labels_do_not_cover_one_another():
    svg = plot_svg.lines([1, 2], [("a", [1, 5]), ("b", [1, 5.1]), ("c", [1, 5.2])], "x", "y", "t")
    heights = sorted(float(y) for y in re.findall(r'class="name s\d" x="[\d.]+" y="([\d.]+)"', svg))
    assert all(low + 19 < high for low, high in pairwise(heights))


def test_a_logarithm_needs_positive_numbers():
    with pytest.raises(ValueError, match="positive"):
        plot_svg.lines([1, 2], [("a", [0, 5])], "x", "y", "t")

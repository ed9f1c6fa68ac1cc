"""The cards of the stand-in, and malformed files of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.data.cards import card, load_cards
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

ENTRY = """- id: t4
  name: Tesla T4
  capability: "7.5"
  memory_mib: 14930
  multiprocessors: 40
  source: https://example.org/t4
  read: 2026-11-22

- id: h100
  name: NVIDIA H100 80GB HBM3
  capability: "9.0"
  memory_mib: 81089
  multiprocessors: 132
  source: https://example.org/h100
  read: 2026-11-22
"""


def test_the_cards_span_what_readers_have() -> None:
    """From the oldest generation that the newest build still has to the newest, 8 GB to 80."""
    cards = load_cards(HERE)
    assert [one.capability for one in cards.values()] == ["7.5", "8.9", "8.0", "9.0", "12.0"]
    gib = {id: one.memory_mib / 1024 for id, one in cards.items()}
    advertised = {"t4": 16, "rtx-4060": 8, "a100": 40, "h100": 80, "rtx-5090": 32}
    assert gib.keys() == advertised.keys()
    # The driver keeps a part, and what is sold as 16 GB may be 16 * 10^9 bytes.
    assert all(0.9 * advertised[id] < gib[id] < advertised[id] for id in gib)


def test_a_card_that_does_not_exist() -> None:
    with pytest.raises(GuideError, match=r"cards.yml: no card 'h10' — did you mean 'h100'\?"):
        card("h10", HERE)
    with pytest.raises(GuideError, match=r"no card 'xyz' — the cards are t4, rtx-4060"):
        card("xyz", HERE)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: h100", "id: t4", ":9: id: 't4' again — keep one"),
        ("memory_mib: 81089", 'memory_mib: "81089"', ":9: memory_mib: '81089' is not a whole"),
        ("memory_mib: 81089", "memory_mib: true", ":9: memory_mib: True is not a whole number"),
        ("memory_mib: 81089", "memory_mib: 0", ":9: memory_mib: 0 — give the number"),
        ("  memory_mib: 81089\n", "", ":9: memory_mib: missing — add"),
        ('"9.0"', '"9.5"', ":9: capability: '9.5' — write one that data/wheels.yml has: 5.0"),
        ('"9.0"', "9.0", ":9: capability: 9.0 is not a text — write it in quotes"),
        ("  name: Tesla", "  nmae: Tesla", ":1: unknown key 'nmae' — the keys are id, name"),
        ("read: 2026-11-22\n\n", "read: today\n\n", ":1: read: 'today' is not a date"),
    ],
)
def test_malformed(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ENTRY
    files = {"data/cards.yml": ENTRY.replace(old, new), "data/wheels.yml": HERE.wheels.read_text()}
    with pytest.raises(GuideError) as caught:
        load_cards(begin(tmp_path, files=files))
    assert message in str(caught.value)

"""The cards of the stand-in, and what is said of others."""

from __future__ import annotations

import pytest

from gpu_guide.data.cards import card, load_cards
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE


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
    with pytest.raises(GuideError, match=r"no card 'xyz' — there are: t4, rtx-4060"):
        card("xyz", HERE)

"""Typed access to `data/cards.yml`: the GPUs that the stand-in is run as.

A malformed file is refused with file, line, key and remedy.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from gpu_guide.data.entries import entries, only_once, typed
from gpu_guide.data.wheels import load_wheels
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project


@dataclass(frozen=True)
class Card:
    """One GPU; data/cards.yml says at its top what the keys mean."""

    id: str
    name: str
    capability: str
    memory_mib: int
    multiprocessors: int
    source: str
    read: date


def load_cards(project: Project) -> dict[str, Card]:
    """The cards by id, in the order of data/cards.yml. Raises GuideError."""
    path = project.cards
    found = [(line, typed(path, line, Card, entry)) for line, entry in entries(path)]
    known = [cc for gpu in load_wheels(project).generations for cc in gpu.capabilities]
    cards: dict[str, Card] = {}
    for line, card in found:
        only_once(path, line, "id", card.id, cards)
        for key in ("memory_mib", "multiprocessors"):
            if getattr(card, key) < 1:
                what = f"{key}: {getattr(card, key)}"
                raise fault(path, line, what, "give the number that the card has")
        if card.capability not in known:
            remedy = f"write one that data/wheels.yml has: {', '.join(known)}"
            raise fault(path, line, f"capability: {card.capability!r}", remedy)
        cards[card.id] = card
    return cards


def card(id: str, project: Project) -> Card:
    """The card that is called `id`. Raises GuideError for one that is not there."""
    cards = load_cards(project)
    if id not in cards:
        remedy = did_you_mean(id, cards)
        raise fault(project.cards, None, f"no card {id!r}", remedy)
    return cards[id]

"""Which card a dry run plays: one whose memory is recorded, or one that readers have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu_guide.data.cards import load_cards
from gpu_guide.data.gpus import load_gpus
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project

SHARE = 0.95
"""Of the memory that a card is sold with, what CUDA can be taken to show where nobody recorded it:
of the cards in data/cards.yml without ECC it shows from 95 to 99 %."""
OLDEST = (7, 5)
"""The least compute capability for which builds for CUDA 13 have kernels."""


@dataclass(frozen=True)
class DryCard:
    """A card, as `stand_in.machine.Card` wants it."""

    id: str
    name: str
    capability: str
    memory_mib: int
    multiprocessors: int
    gigabytes: int
    """What it is sold with."""
    assumed: bool = False
    """Whether its memory is SHARE of what it is sold with."""


def known_cards(project: Project) -> dict[str, DryCard]:
    """All cards by id, those with less memory first. Raises GuideError for malformed data."""
    recorded, gpus = load_cards(project), load_gpus(project)
    found = []
    for gpu in gpus.gpus:
        if card := recorded.get(gpu.card):
            facts = (card.id, card.name, card.capability, card.memory_mib, card.multiprocessors)
            found.append(DryCard(*facts, gpu.memory_gb))
            continue
        mib = int(gpu.memory_gb * 1024 * SHARE)
        id = re.sub(r"\W+", "-", gpu.name.lower().replace(" gb", "gb"))
        if id in recorded:  # data/cards.yml has the laptop's by this name
            id += f"-{gpu.group}"
        facts = (id, gpu.name, gpus.capability(gpu), mib, gpu.sms, gpu.memory_gb)
        found.append(DryCard(*facts, assumed=True))
    new = [card for card in found if tuple(map(int, card.capability.split("."))) >= OLDEST]
    return {card.id: card for card in sorted(new, key=lambda card: card.memory_mib)}


def chosen(id: str, project: Project) -> DryCard:
    """The card `id`. Raises GuideError for one that is not there."""
    cards = known_cards(project)
    if id not in cards:
        remedy = did_you_mean(id, cards)
        raise fault(None, None, f"no card {id!r} for a dry run", remedy)
    return cards[id]

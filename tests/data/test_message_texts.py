"""How the texts of messages read: short paragraphs, and neighbours called by their names."""

from __future__ import annotations

import re

import pytest

from gpu_guide.data.errors import Message, load_errors
from gpu_guide.project import HERE, about
from gpu_guide.snippets.model import HAN

MESSAGES = load_errors(HERE)
WORDS, CHARACTERS = 60, 100
"""So long a paragraph or an item may be in English and in Chinese."""
COUNTED_OUT = re.compile(
    r"前一条|后一条|那一条|这一条|^(?:There|That one|The first)\b|In the second"
)
"""What makes a reader look up which neighbour is meant."""


@pytest.mark.parametrize("message", MESSAGES.values(), ids=lambda message: message.id)
def test_paragraphs_are_short_and_neighbours_have_names(message: Message) -> None:
    for language in HERE.languages:
        for text in (message.means[language], message.fix[language]):
            for paragraph in text.split("\n"):
                if about(language).han:
                    assert len(HAN.findall(paragraph)) <= CHARACTERS, paragraph
                else:
                    assert len(paragraph.split()) <= WORDS, paragraph
        assert not COUNTED_OUT.search(message.apart.get(language, "")), language

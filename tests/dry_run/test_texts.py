"""The command around a dry run: cards and words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu_guide.data.cards import card
from gpu_guide.dry_run import words
from gpu_guide.dry_run.cards import SHARE, chosen, known_cards
from gpu_guide.dry_run.replay import KINDS
from gpu_guide.dry_run.report import CONTEXT, size
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

_FIELD = re.compile(r"\{(\w+)\}")


def test_both_languages_say_the_same_with_the_same_fields() -> None:
    for key, said in words._texts(words._TEXTS).items():
        assert set(said) == set(HERE.languages), key
        fields = {language: set(_FIELD.findall(text)) for language, text in said.items()}
        assert fields["zh"] == fields["en"], key


def test_every_text_is_used_and_every_kind_has_one() -> None:
    folder = Path(words.__file__).parent
    code = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    made = {f"card_{key}" for key in ("fits", "tight", "no")}
    made |= {f"{kind}_read" for kind in ("value", "copy", "size")} | set(KINDS)
    said = set(words._texts(words._TEXTS))
    assert set(KINDS) <= said
    named = {key for key in said if f'"{key}"' in code or f"'{key}'" in code}
    assert said - made - named == set()


def test_cards_are_those_of_readers_with_recorded_memory_where_there_is_some() -> None:
    cards = known_cards(HERE)
    assert cards["t4"].memory_mib == card("t4", HERE).memory_mib and not cards["t4"].assumed
    assert cards["rtx-3090"].memory_mib == int(24 * 1024 * SHARE) and cards["rtx-3090"].assumed
    assert cards["rtx-4060"].memory_mib < cards["rtx-4060-desktop"].gigabytes * 1024
    assert "gtx-1080-ti" not in cards  # no build for CUDA 13 has kernels for it
    assert [card.memory_mib for card in cards.values()] == sorted(
        card.memory_mib for card in cards.values()
    )


def test_an_unknown_card_is_named_with_the_nearest() -> None:
    with pytest.raises(GuideError, match="did you mean 'rtx-3090'"):
        chosen("rtx3090", HERE)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LC_ALL": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_the_system_says_which_language(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert words.system_language(HERE.languages) == language


def test_sizes_are_written_in_pytorchs_units() -> None:
    bytes = (CONTEXT, 3 * 2**29, 2048, 5)
    assert [size(n) for n in bytes] == ["512 MiB", "1.50 GiB", "2 KiB", "5 B"]

"""Texts of kinds that the diagnosis once got wrong, and what it says where nothing fits."""

from __future__ import annotations

import pytest

from gpu_guide import fast_yaml
from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.errors import load_errors
from gpu_guide.diagnosis.engine import diagnose
from gpu_guide.diagnosis.facts import read
from gpu_guide.diagnosis.report import report
from gpu_guide.diagnosis.understood import to_paste, understood
from gpu_guide.project import HERE

KNOWN = load_diagnosis(HERE)
MESSAGES = load_errors(HERE)
TEXTS = fast_yaml.load((HERE.tests / "data/diagnosis_fresh.yml").read_text("utf-8"))


@pytest.mark.parametrize("one", TEXTS, ids=lambda one: one["id"])
def test_a_text_gets_its_cause(one: dict) -> None:
    verdict = diagnose(one["text"], KNOWN, MESSAGES)
    main = verdict.main.id if verdict.main else None
    assert (verdict.kind, main) == (one["kind"], one.get("cause"))
    assert {note.id for note in verdict.notes} >= set(one.get("notes", ()))


def test_where_nothing_fits_it_is_told_what_was_understood_and_what_to_paste() -> None:
    text = next(one["text"] for one in TEXTS if one["id"] == "nothing-fits")
    assert report(diagnose(text, KNOWN, MESSAGES), KNOWN, MESSAGES, "en") == [
        "unknown: nothing in this text decides the cause",
        "understood: torch: 2.7.0+cu128",
        "understood: cuda: 12.8",
        "understood: frame: /home/u/proj/model.py:12 step",
        "understood: raised: ValueError: something that no rule knows",
        "paste: python -m torch.utils.collect_env",
        "paste: nvidia-smi",
    ]


@pytest.mark.parametrize(
    ("text", "gpu", "driver"),
    [
        ("pytorch 2.6.0+cu124, RTX 4070, Driver Version: 551.86", "RTX 4070", "551.86"),
        ("I have a geforce rtx 3060 ti, driver 560.35.03", "geforce rtx 3060 ti", "560.35.03"),
        ("my driver is fine, and the shape is 4070 x 551", None, None),
    ],
)
def test_a_card_and_a_driver_in_a_sentence_are_understood(
    text: str, gpu: str | None, driver: str | None
) -> None:
    found = dict(understood(read(text, KNOWN)))
    assert (found.get("gpu"), found.get("driver")) == (gpu, driver)


def test_what_the_text_has_is_not_asked_for_again() -> None:
    text = (
        "PyTorch version: 2.7.0+cu128\nIs CUDA available: True\nNvidia driver version: 580.65.06\n"
    )
    reading = read(text, KNOWN)
    assert to_paste(reading) == []
    assert dict(understood(reading))["driver"] == "580.65.06"


@pytest.mark.parametrize(
    "path",
    [
        "/venv/lib/python3.12/site-packages/x.py",
        "C:\\Python312\\Lib\\threading.py",
        "<frozen runpy>",
        "/usr/lib/python3/dist-packages/y.py",
    ],
)
def test_the_code_of_others_is_not_the_readers_own(path: str) -> None:
    reading = read(f'File "/home/u/a.py", line 1, in f\nFile "{path}", line 2, in g\n', KNOWN)
    assert dict(understood(reading)) == {"frame": "/home/u/a.py:1 f"}

"""The diagnosis of pasted texts in Python: samples, tables of nvidia-smi, data, real pastes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from gpu_guide import fast_yaml
from gpu_guide.data.diagnosis import LEVELS, load_diagnosis
from gpu_guide.data.doctor import diagnoses
from gpu_guide.data.errors import LONGEST, load_errors
from gpu_guide.diagnosis.engine import diagnose
from gpu_guide.diagnosis.facts import WIDEST, read
from gpu_guide.diagnosis.report import report
from gpu_guide.diagnosis.smi import GPU_FIELDS, read_table
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project

KNOWN = load_diagnosis(HERE)
MESSAGES = load_errors(HERE)
SAMPLES = fast_yaml.load((HERE.tests / "data/diagnosis_samples.yml").read_text("utf-8"))


def sample(id: str) -> str:
    return next(one["text"] for one in SAMPLES if one["id"] == id)


@pytest.mark.parametrize("kind", sorted({one["kind"] for one in SAMPLES}))
def test_a_sample_gets_its_cause_with_the_lines_that_name_it(kind: str) -> None:
    for one in (one for one in SAMPLES if one["kind"] == kind):
        verdict = diagnose(one["text"], KNOWN, MESSAGES)
        main = verdict.main.id.removeprefix("doctor-") if verdict.main else None
        assert (verdict.kind, main) == (kind, one.get("cause")), one["id"]
        assert {note.id for note in verdict.notes} >= set(one.get("notes", ())), one["id"]
        if verdict.main:
            assert verdict.main.lines, one["id"]
            assert all(verdict.reading.lines[line] for line in verdict.main.lines), one["id"]
        for language in HERE.languages:
            first = report(verdict, KNOWN, MESSAGES, language)[0]
            assert first.startswith(verdict.kind), one["id"]


def test_each_cause_can_be_named_by_what_it_says() -> None:
    for cause in KNOWN.causes:
        for wording in cause.says:
            text = f"Traceback of torch:\n{wording.replace('…', '17 x')}\nend"
            verdict = diagnose(text, KNOWN, MESSAGES)
            found = [verdict.main, *verdict.others]
            assert cause.id in [one.id for one in found if one], wording


@pytest.mark.parametrize("text", ["CUDA out of memory", "RuntimeError: CUDA out of memory"])
def test_what_is_typed_of_the_commonest_message_gets_its_cause(text: str) -> None:
    verdict = diagnose(text, KNOWN, MESSAGES)
    assert verdict.main and verdict.main.id == "out-of-memory"


def test_the_doctor_has_no_code_without_a_diagnosis() -> None:
    codes = diagnoses(HERE)
    assert len(codes) > 25
    for code in codes:
        verdict = diagnose(
            json.dumps({"diagnosis": {"code": code, "next": ["x"]}}), KNOWN, MESSAGES
        )
        assert verdict.kind == ("healthy" if code == "healthy" else "fault"), code
        assert verdict.reading.next == ["x"]
    assert {code for cause in KNOWN.causes for code in cause.doctor} <= set(codes)


def test_the_lines_shown_are_those_of_the_message() -> None:
    text = "one\n\ntwo\nRuntimeError: CUDA\nout of memory.\nTried to allocate 2 GiB\nlast"
    verdict = diagnose(text, KNOWN, MESSAGES)
    assert verdict.main and verdict.main.lines == (3, 4, 5)


# --- the table of nvidia-smi ---------------------------------------------------------------------


def table_of(id: str) -> object:
    return read_table([" ".join(line.split()) for line in sample(id).split("\n")])


def test_every_field_of_a_gpu_is_read() -> None:
    table = table_of("smi-idle-535")
    assert table.head == {"smi": "535.230.02", "driver": "535.230.02", "cuda": "12.2"}
    values = "0|NVIDIA GeForce RTX 3090|Off|00000000:01:00.0|On|N/A|30%|41C|P8|21W|350W"
    values += "|611MiB|24576MiB|2%|Default|N/A"
    assert [table.gpus[0][key] for key in GPU_FIELDS] == values.split("|")
    assert [(one["pid"], one["type"], one["memory"]) for one in table.processes] == [
        ("1811", "G", "402MiB"),
        ("2544", "C+G", "142MiB"),
    ]


def test_old_drivers_have_no_line_of_mig() -> None:
    table = table_of("smi-418-old-format")
    assert [gpu["index"] for gpu in table.gpus] == ["0", "1"]
    assert "mig" not in table.gpus[0]
    assert table.gpus[1]["util"] == "84%"
    process = {"gpu": "1", "pid": "28413", "type": "C", "name": "python3", "memory": "5001MiB"}
    assert process.items() <= table.processes[0].items()


def test_windows_has_a_driver_model_and_no_memory_of_processes() -> None:
    table = table_of("smi-windows-wddm-591")
    assert table.gpus[0]["mode"] == "WDDM"
    assert table.gpus[0]["cap"] == "95W"
    assert [one["memory"] for one in table.processes] == ["N/A", "N/A"]


def test_mig_instances_are_read() -> None:
    table = table_of("smi-mig-with-instances")
    assert [(one["gi"], one["device"], one["total"]) for one in table.instances] == [
        ("1", "0", "20096MiB"),
        ("5", "1", "9856MiB"),
    ]
    assert table.gpus[0]["mig"] == "Enabled"
    assert table.processes[0]["gi"] == "1"


def test_labels_of_driver_610_are_known() -> None:
    assert table_of("smi-610-new-labels").head["cuda"] == "13.4"


def test_of_two_tables_the_first_is_read() -> None:
    text = sample("smi-wsl") + sample("smi-idle-535")
    assert len(read_table(text.split("\n")).gpus) == 0  # blanks are not single
    reading = read(text, KNOWN)
    assert [gpu["name"] for gpu in reading.table.gpus] == ["NVIDIA GeForce RTX 5070"]


@pytest.mark.parametrize("id", [one["id"] for one in SAMPLES if one["id"].startswith("smi-")])
def test_every_field_that_is_read_has_a_meaning(id: str) -> None:
    table = read(sample(id), KNOWN).table
    for one in [table.head, *table.gpus] if table else []:
        for key, value in one.items():
            known = any(
                field.id == key and re.search(field.value, str(value), re.IGNORECASE)
                for field in KNOWN.fields
            )
            assert key.startswith("line") or known, key


def test_what_is_no_table_is_none() -> None:
    assert read_table(["NVIDIA-SMI has failed", "| 0 | 1 |", ""]) is None


# --- robustness ----------------------------------------------------------------------------------

HARD = {
    "binary": "\x00\xff\x7f\x80\ud7ff",
    "bars": "| 0 a",
    "sections": "==NVSMI LOG==\n a : b\n",
    "terminal": "\x1b[0;0;",
    "blanks": " \n",
    "first pieces": "dataloader worker (pid ",
    "key": "a" * 39 + " ",
    "process": "| 0 N/A N/A 1 C ",
    "braces": '{"diagnosis":[',
    "right to left": "\u202eשלום\n",
}


@pytest.mark.parametrize("kind", HARD)
def test_of_a_huge_text_little_is_looked_at(kind: str) -> None:
    head = "| NVIDIA-SMI 580 Driver Version: 580.1 |\n" if kind in ("bars", "process") else ""
    text = head + HARD[kind] * (5_000_000 // len(HARD[kind]))
    verdict = diagnose(text, KNOWN, MESSAGES)
    assert verdict.reading.cut
    assert sum(map(len, verdict.reading.lines)) <= LONGEST + 1
    assert verdict.kind in ("unknown", "healthy")


def test_a_line_is_read_for_facts_up_to_a_limit() -> None:
    filler = "x" * WIDEST
    assert "xid" in read("NVRM: Xid (PCI:0): 79 " + filler, KNOWN).facts
    assert "xid" not in read(filler + "NVRM: Xid (PCI:0): 79", KNOWN).facts


# --- the data ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("kind: cause", "kind: because"), r"'because'.*did you mean 'cause'"),
        (("level: root\n", "level: deep\n"), r"level: 'deep' — the levels are root"),
        (("messages: [driver-too-old,", "messages: [driver-to-old,"), r"did you mean 'driver-too"),
        (("id: no-driver\n", "id: driver-too-old\n"), r"'driver-too-old' again"),
        (("'driver.short & ", "'driver.short = (a+)+ & "), r"may be slow"),
        (("'driver.short & ", "'Driver.short & "), r"when: 'Driver.short' — write 'NAME"),
        (("'driver.short & !", "'!driver.short & !"), r"names nothing"),
        (("    zh: '驱动太旧，", "    fr: '驱动太旧，"), r"means: nothing in 'zh'"),
        (("over: [no-driver]", "over: [no-drivers]"), r"'no-drivers' — did you mean"),
        (("pattern: '^Killed$|", "pattern: '(?i)^Killed$|"), r"may be slow"),
        (("smi-has-failed, nvml", "no-cuda-gpus, nvml"), r"'no-cuda-gpus', which 'no-driver' has"),
    ],
)
def test_what_is_wrong_in_the_data_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    shutil.copytree(HERE.errors, tmp_path / "data/errors")
    for name in ("mkdocs.yml", "mkdocs.en.yml", "data/wheels.yml"):
        (tmp_path / name).write_text((HERE.root / name).read_text("utf-8"), "utf-8")
    text = HERE.diagnosis.read_text("utf-8")
    assert change[0] in text
    (tmp_path / "data/diagnosis.yml").write_text(text.replace(*change, 1), "utf-8")
    with pytest.raises(GuideError, match=rf"diagnosis\.yml:\d+: .*{told}"):
        load_diagnosis(Project(tmp_path))


def test_levels_are_of_messages_that_no_cause_has() -> None:
    taken = {id for cause in KNOWN.causes for id in cause.messages}
    assert not taken & set(KNOWN.levels)
    assert set(KNOWN.levels.values()) <= set(LEVELS)


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("NVIDIA A100-SXM4-80GB", "8.0"),
        ("NVIDIA A10G", "8.6"),
        ("NVIDIA RTX 6000 Ada Generation", "8.9"),
        ("Quadro RTX 6000", "7.5"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "8.9"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0"),
        ("NVIDIA GeForce GTX 1080 Ti", "6.1"),
        ("NVIDIA Future 9000", None),
    ],
)
def test_a_card_is_known_by_its_name(name: str, capability: str | None) -> None:
    card = KNOWN.card(name)
    assert (card.capability if card else None) == capability

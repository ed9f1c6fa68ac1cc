"""The doctor with absurd facts, and with texts of strangers."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
from doctor_machines import MACHINES, NO_KERNEL, doctor, facts, facts_of

from gpu_guide import ROOT

ABSURD = [
    None, "", " ", 0, -1, True, 3.5, [], {}, [None], [{}], ["sm_"], ["sm_9", 7], {"a": 1},
    "N/A", "[N/A]", "banana", "9" * 5000, "3.", "...", "13.0.0.0.0", "\x00", "数据", "a{b}%s",
    "CUDA error", "Error 803", "SIGKILL", "ok", "no answer", "Windows", "Linux", "Darwin", b"x",
]  # fmt: skip


def spoiled(value: Any, chance: random.Random) -> Any:
    """The same facts with some of them missing, empty or absurd."""
    if chance.random() < 0.15:
        return chance.choice(ABSURD)
    if isinstance(value, dict):
        kept = [key for key in value if chance.random() > 0.1]
        return {key: spoiled(value[key], chance) for key in kept}
    if isinstance(value, list):
        return [spoiled(item, chance) for item in value] * chance.choice([1, 1, 1, 3])
    return value


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_no_facts_are_too_absurd(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(4):
        for machine in MACHINES.values():
            given = spoiled(facts_of(machine), chance)
            found = doctor["diagnose"](given)
            assert found["code"] in doctor["TEXTS"]
            assert all(isinstance(line, str) for line in found["why"] + found["next"])
            json.dumps(found)
            for zh in (True, False):
                assert all(isinstance(line, str) for line in doctor["report"](given, found, zh))


def test_a_child_may_die_at_any_character() -> None:
    """What it had said by then counts, and the step that it was in is named."""
    steps = [
        {"begin": "import torch"},
        {"torch": {"state": "ok", "version": "2.13.0"}, "begin": "start CUDA"},
        {"gpu": {"backend": "cuda"}},
        {"begin": "compute on cuda:0"},
        {"devices": [{"name": "a", "capability": "8.9", "works": True, "error": None}]},
        {},
    ]
    text = "noise\n" + "".join(f"{doctor['MARK']}{json.dumps(step)}\n" for step in steps)
    seen = set()
    for end in range(len(text) + 1):
        found = doctor["assemble"]("SIGSEGV", text[:end])
        seen.add(found["stopped"]["step"])
        doctor["diagnose"](facts(**found))
    assert seen == {"start Python", "import torch", "start CUDA", "compute on cuda:0", None}


def test_no_text_of_nvidia_smi_is_too_absurd() -> None:
    chance = random.Random(0)
    texts = [machine["smi"] for machine in MACHINES.values() if "smi" in machine]
    for text in texts:
        for _ in range(20):
            start, end = sorted(chance.choices(range(len(text)), k=2))
            doctor["read_smi"](text[start:end])
            doctor["read_query"](text[start:end])


PASTES = Path(os.environ.get("DOCTOR_PASTES") or ROOT / "shared" / "pastes.jsonl")
LABELS = {
    "healthy": {"healthy"},
    "cpu-only-build": {"cpu-only-build"},
    "driver-too-old": {"driver-too-old"},
    "no-driver": {"no-driver", "container-without-gpu"},
    "torch-missing": {"torch-missing"},
    "macos-no-cuda": {"other-backend"},
    "no-nvidia-gpu": {"other-backend", "cpu-only-build"},
    "cuda-init-error": {"gpu-memory-full", "cuda-init-error"},
    "wheel-lacks-arch": {"mixed-gpus", "gpu-newer-than-build"},
}


def public_texts(kind: str) -> list[dict[str, Any]]:
    if not PASTES.is_file():
        pytest.skip("the texts that people posted are not in this checkout; set DOCTOR_PASTES")
    rows = map(json.loads, PASTES.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["kind"] == kind]


def test_public_nvidia_smi() -> None:
    for row in public_texts("nvidia-smi"):
        read, said = doctor["read_smi"](row["text"]), row["facts"]
        assert (read["version"], read["cuda"]) == (said["driver"], said["cuda_driver_max"]), row
        names = [re.sub(r"\.*$", "", gpu["name"]) for gpu in read["gpus"]]
        for name, full in zip(names, said.get("gpus", []), strict=False):
            assert full.startswith(name) or name in full, row["source"]


def from_collect_env(text: str) -> dict[str, Any]:
    """The facts that a post of `python -m torch.utils.collect_env` gives."""

    def field(name: str) -> str | None:
        found = re.search(rf"^\s*{name}\s*: ?(.*?)\s*$", text, re.MULTILINE)
        none = ("", "N/A", "None", "No CUDA", "Could not collect")
        return found[1] if found and found[1] not in none else None

    system = field("OS") or ""
    version = field("PyTorch version")
    warned = re.search(r"CUDA initialization:\s*(.*)", text)
    lacking = re.findall(r"^(.*) with CUDA capability sm_(\d+) is not compatible", text, re.M)
    archs = re.search(r"supports CUDA capabilities ([\w ]+)", text)
    names = re.findall(r"GPU \d+: *(.*?)\s*$", text, re.MULTILINE)
    names = names or [field("GPU models and configuration")]
    devices = []
    for name in names if field("Is CUDA available") == "True" else []:
        number = next((int(cc) for card, cc in lacking if card.strip() in str(name)), None)
        devices.append(
            {
                "name": name,
                "capability": number and "{}.{}".format(*divmod(number, 10)),
                "works": number is None,
                "error": number and NO_KERNEL,
            }
        )
    driver = field("Nvidia driver version")
    torch = {
        "state": "ok" if version else "missing",
        "version": version,
        "cuda": field("CUDA used to build PyTorch"),
        "hip": field("ROCM used to build PyTorch"),
        "xpu": "xpu" if version and re.search(r"xpu|cxx11", version) else None,
        "arch_list": archs[1].split() if archs else [],
    }
    found = {"state": "ok", "version": driver, "cuda": None, "error": None} if driver else {}
    return facts(
        os="Windows" if "Windows" in system else "Darwin" if "macOS" in system else "Linux",
        wsl="WSL2" in text,
        python=(field("Python version") or "").split(" ")[0],
        torch=torch,
        gpu={"devices": devices, "error": "RuntimeError: " + warned[1] if warned else None},
        driver=found,
    )


def test_public_collect_env() -> None:
    seen = set()
    for row in public_texts("collect_env"):
        if row["diagnosis"] not in LABELS or "Is CUDA available" not in row["text"]:
            continue
        found = doctor["diagnose"](from_collect_env(row["text"]))
        assert found["code"] in LABELS[row["diagnosis"]], (row["source"], found)
        seen.add(row["diagnosis"])
    assert len(seen) >= 6, f"too few of the labels were met: {seen}"

"""The doctor: what it makes of machines written down as facts, and how it behaves as a program.

`diagnose` is pure: `doctor_machines.yml` holds machines and what must come out. The choice of a
wheel has a test of its own, `test_doctor_choice.py`.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import memoized_doctor
import pytest
from doctor_machines import DATA, MACHINES

from gpu_guide import ROOT
from gpu_guide.data.wheel_choice import Machine, objections
from gpu_guide.data.wheels import load_wheels
from gpu_guide.project import HERE

DOCTOR = HERE.snippets / "check" / "doctor.py"
doctor = runpy.run_path(str(DOCTOR), run_name="doctor")

WHEELS = load_wheels(HERE)


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return base | {
        key: merged(base[key], value) if isinstance(base.get(key), dict) else value
        for key, value in changes.items()
    }


def facts(**changes: Any) -> dict[str, Any]:
    """A CUDA 13.0 build on a Linux machine that sees no GPU, but for these changes."""
    return merged(DATA["base"], changes)


def facts_of(machine: dict[str, Any]) -> dict[str, Any]:
    found = facts(**machine.get("facts", {}))
    if "smi" in machine:
        found["driver"] = doctor["read_smi"](machine["smi"]) | {"state": "ok", "error": None}
        query = doctor["read_query"](machine.get("query", ""))
        found["driver"]["gpus"] = query or found["driver"]["gpus"]
    return found


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', "ubuntu"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "ubuntu"),
        ("ID=pop\nID_LIKE=ubuntu debian\n", "ubuntu"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "rocky"),
        ("VERSION_ID=12\nID=debian\n", "debian"),
        ("NAME=nothing\n", ""),
    ],
)
def test_the_distribution_is_the_one_whose_packages_it_uses(release: str, name: str) -> None:
    assert doctor["read_release"](release) == name


# --- machines ------------------------------------------------------------------------------------


CASES = {
    "several installs of torch": [
        "two PyTorch beside each other, one in the home folder",
        "two PyTorch of which none can be imported, Windows",
    ],
    "nouveau": ["nouveau drives the card, Ubuntu"],
    "Secure Boot": [
        "Secure Boot keeps the module out, Ubuntu",
        "Secure Boot keeps the module out, Debian",
        "Secure Boot keeps the module out, Fedora",
    ],
    "WSL with a Linux driver inside": ["WSL with a Linux driver inside"],
    "scheduler and cgroups": [
        "Slurm job without a GPU",
        "Slurm job that hides the GPUs of others",
        "PBS job without a GPU",
        "LSF job without a GPU",
        "pod of Kubernetes that asked for no GPU",
        "cgroups give no device",
    ],
    "MIG": ["MIG without instances", "MIG slice of an H100"],
    "device permissions": ["device files of another group", "device files of root alone"],
    "leftover processes": [
        "a forgotten notebook holds the memory",
        "memory taken by processes that nvidia-smi does not list",
    ],
    "torch, torchvision and torchaudio that do not fit": [
        "torchvision for another torch",
        "torchvision for the CPU, torchaudio for an older torch",
        "torchaudio 2.11 beside torch 2.10",
        "torchvision and torchaudio that fit",
    ],
    "conda mixed with pip": ["conda's PyTorch overwritten by pip's"],
    "ROCm": [
        "ROCm",
        "ROCm build without a GPU",
        "ROCm build beside an NVIDIA GPU",
        "ROCm whose devices belong to the group render",
    ],
    "MPS": ["Apple silicon", "Mac on which MPS does not start"],
    "XPU": ["XPU", "XPU build without a GPU"],
    "Ascend": ["Ascend with its NPU", "Ascend whose NPU is not found"],
    "integrated graphics in use": [
        "laptop set to its integrated graphics",
        "CUDA build, Intel graphics only",
        "CPU build, Windows, AMD graphics only",
    ],
    "Jetson": [
        "CPU build, Jetson Orin, JetPack 6",
        "CPU build, Jetson Thor, JetPack 7",
        "Jetson Orin on a build for Arm servers",
    ],
}
"""What the doctor has to tell apart, and the machines that stand for it."""


@pytest.mark.parametrize("case", CASES)
def test_no_case_goes_missing(case: str) -> None:
    assert CASES[case] and set(CASES[case]) <= set(MACHINES)


def test_there_are_many_machines_and_every_diagnosis_has_one() -> None:
    assert len(DATA["machines"]) == len(MACHINES) >= 40, "names that occur twice, or too few"
    assert {machine["code"] for machine in MACHINES.values()} == set(doctor["TEXTS"])


@pytest.mark.parametrize("name", MACHINES)
def test_machine(name: str) -> None:
    machine = MACHINES[name]
    given = facts_of(machine)
    found = doctor["diagnose"](given)
    assert found["code"] == machine["code"]
    assert [item["key"] for item in found["advice"]] == machine.get("advice", [])
    assert found["next"] == machine["next"]
    assert found["healthy"] == (machine["code"] == "healthy") == (not found["next"])
    assert found["why"], "a diagnosis without evidence"
    for zh in (True, False):
        lines = doctor["report"](given, found, zh)
        assert doctor["TEXTS"][machine["code"]][0 if zh else 1] in lines
        assert not any("None" in line for line in lines if line.startswith(("Driver", "GPU")))


@pytest.mark.parametrize("name", [name for name in MACHINES if "smi" in MACHINES[name]])
def test_every_nvidia_smi_is_read(name: str) -> None:
    """Its versions and its cards, as the table shows them."""
    text = MACHINES[name]["smi"]
    read = doctor["read_smi"](text)
    shown = re.search(r"(?:Driver|KMD) Version: +(\S+) .*?Version: +(\S+)", text)
    assert [read["version"] or "N/A", read["cuda"] or "N/A"] == list(shown.groups())
    rows = [line for line in text.splitlines() if re.search(r"\d{8}:..:..\.0|nvgpu", line)]
    names = [gpu["name"] for gpu in read["gpus"]]
    assert len(names) == len(rows) and all(n in row for n, row in zip(names, rows, strict=True))


def commands() -> list[tuple[str, list[str]]]:
    """What the doctor tells every machine to run, as each of several systems."""
    found = []
    for name, machine in MACHINES.items():
        given = facts_of(machine)
        for system in ({}, {"os": "Windows", "machine": "amd64", "libc": ""}):
            for packages in ([], ["torchvision"], ["torchvision", "torchaudio"]):
                changed = given | {"packages": packages} | system
                found.append((name, doctor["diagnose"](changed)["next"]))
    return found


def test_nothing_is_removed_that_is_not_replaced() -> None:
    for name, lines in commands():
        removed = [line for line in lines if "uninstall" in line]
        if removed:
            assert removed == [lines[0]], name
            gone = re.sub(r".*uninstall (-y )?", "", lines[0]).split()
            assert set(gone) <= {"torch", "torchvision", "torchaudio"}, name
            assert any(" install " in line and "torch" in line for line in lines[1:]), name
            if "torch" not in gone:  # what is replaced alone comes back, one by one
                added = " ".join(lines[1:])
                assert all(re.search(rf"{one}\b", added) for one in gone), name


def test_windows_with_a_card_is_never_told_to_take_what_pypi_has() -> None:
    for name, lines in commands():
        for line in lines:
            plain = " install " in line and "--index-url" not in line
            assert not plain or line.split()[0] in ("winget", "brew"), f"{name}: {line}"


def test_every_command_is_for_the_interpreter_that_ran_the_doctor() -> None:
    for command in ("python3", "'/opt/my env/bin/python'", '& "C:\\my env\\python.exe"'):
        for name, machine in MACHINES.items():
            given = facts_of(machine) | {"command": command}
            for line in doctor["diagnose"](given)["next"]:
                for word in ("-m pip", "-m torch", "-X faulthandler"):
                    new = re.search(r"~/gpu|HOME.gpu|-n gpu", line)
                    if word in line and not new:
                        assert line.startswith(command + " "), f"{name}: {line}"


# --- every build that may be installed ------------------------------------------------------------


SYSTEMS = {
    "linux_x86_64": {},
    "linux_aarch64": {"machine": "aarch64"},
    "windows": {"os": "Windows", "machine": "amd64", "libc": ""},
}
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 1)."
NO_KERNEL = "AcceleratorError: CUDA error: no kernel image is available for execution on the device"


def installed(system: str, driver: str, cuda: str, card: str, build: Any) -> dict[str, Any]:
    """The facts of a machine with this driver, card and build, as torch would give them."""
    gpu = {"name": "a GPU", "memory": "8192 MiB", "capability": card}
    said = {"state": "ok", "version": driver, "cuda": cuda, "gpus": [gpu], "error": None}
    archs = build.aarch64 if system == "linux_aarch64" else build.x86_64
    names = [f"sm_{arch.removesuffix('+PTX').replace('.', '')}" for arch in archs]
    if system != "windows":
        names += [f"compute_{a[:-4].replace('.', '')}" for a in archs if a.endswith("+PTX")]
    torch = {"version": f"{build.torch}.0+{build.tag}", "cuda": build.cuda, "arch_list": names}
    if int(cuda.split(".")[0]) < int(build.cuda.split(".")[0]):
        seen: dict[str, Any] = {"error": TOO_OLD}
    else:
        error = None if WHEELS.covers(build, card, system) else NO_KERNEL
        seen = {
            "backend": "cuda",
            "devices": [{"name": "a GPU", "capability": card, "works": not error, "error": error}],
        }
    return facts(**SYSTEMS[system], driver=said, torch=torch, gpu=seen)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_installed_build_is_kept_or_replaced_by_one_that_runs(system: str) -> None:
    faults, count = [], 0
    diagnose = memoized_doctor.load()["diagnose"]
    cards = [capability for gpu in WHEELS.generations for capability in gpu.capabilities]
    for build in WHEELS.builds:
        if not (build.aarch64 if system == "linux_aarch64" else build.x86_64):
            continue
        for branch in WHEELS.branches:
            driver = f"{branch.driver}.99"
            for card in cards:
                count += 1
                found = diagnose(installed(system, driver, branch.cuda, card, build))
                fine = WHEELS.covers(build, card, system)
                old = int(branch.cuda.split(".")[0]) < int(build.cuda.split(".")[0])
                where = f"{build.torch} {build.tag}, driver {driver}, {card}"
                expected = "driver-too-old" if old else "healthy" if fine else "gpu-"
                if not found["code"].startswith(expected):
                    faults.append(f"{where}: {found['code']}")
                for line in found["next"]:
                    if "--index-url" not in line:
                        continue
                    tag = re.search(r"whl/(cu\d+)", line)[1]
                    below = re.search(r"torch<([\d.]+)", line)
                    here = Machine(system, "3.12", driver, (card,))
                    wrong = objections(WHEELS, here, tag, below[1] if below else "")
                    faults += [f"{where}: {line}: {reason}" for reason in wrong]
    assert count > 2000 and not faults, "\n".join(faults[:20])


# --- absurd facts ---------------------------------------------------------------------------------

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


# --- public texts ---------------------------------------------------------------------------------

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


# --- architectures --------------------------------------------------------------------------------

ARCHITECTURES = [
    ("8.9", "sm_80 sm_86", None),
    ("8.0", "sm_86", "gpu-older-than-build"),
    ("9.0", "sm_80 sm_86", "gpu-newer-than-build"),
    ("9.0", "sm_80 compute_80", None),
    ("10.0", "sm_90a", "gpu-newer-than-build"),
    ("10.3", "sm_100a", "gpu-newer-than-build"),
    ("9.0", "sm_90a", None),
    ("12.0", "compute_90a", "gpu-newer-than-build"),
    ("10.3", "sm_100f", None),
    ("12.0", "compute_100f", "gpu-newer-than-build"),
    ("10.0", "sm_90 sm_120", "gpu-not-in-build"),
    ("5.2", "sm_50 sm_60", None),
    ("3.5", "sm_50 compute_50", "gpu-older-than-build"),
    ("12.1", "sm_75 sm_120", None),
    ("8.7", "sm_80 sm_86 sm_90", "gpu-not-in-build"),
    ("8.7", "sm_87", None),
    ("7.2", "sm_70", "gpu-newer-than-build"),
    (None, "sm_90", None),
    ("9.0", "", None),
]


@pytest.mark.parametrize(("capability", "arch_list", "expected"), ARCHITECTURES)
def test_gpu_against_the_build(
    capability: str | None, arch_list: str, expected: str | None
) -> None:
    assert doctor["compare"](capability, arch_list.split(), "12.8") == expected


@pytest.mark.parametrize(("cuda", "runs"), [("12.6", False), ("13.0", False), ("13.2", True)])
def test_a_jetson_orin_runs_code_for_8_0_from_cuda_13_2_on(cuda: str, runs: bool) -> None:
    """So says DEVICE_REQUIREMENT_POST_JETSON_SBSA_UNIFICATION in torch.cuda of 2.15."""
    assert (doctor["compare"]("8.7", ["sm_80", "sm_90"], cuda) is None) is runs


def test_the_rule_is_that_of_torch() -> None:
    """Every architecture and GPU that torch itself has a rule for, without PTX."""
    import torch.cuda as cuda

    required = cuda.DEVICE_REQUIREMENT
    for code in required:
        for gpu in {*required, 62, 72, 87, 88, 101}:
            if 101 in (code, gpu):
                continue  # renamed 110 in CUDA 13: torch takes one for the other
            card = "{}.{}".format(*divmod(gpu, 10))
            ours = doctor["arch_runs"](f"sm_{code}", card, "12.8")
            assert ours == (gpu in required[code]), f"sm_{code} on {card}"


# --- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_lists_every_diagnosis(lang: str) -> None:
    page = (ROOT / "docs" / lang / "check" / "doctor.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE) == list(doctor["TEXTS"])


# --- the program ---------------------------------------------------------------------------------


def fake_smi(folder: Path, body: str) -> str:
    """Put a program nvidia-smi into `folder` and return a PATH that finds it."""
    (folder / "smi.py").write_text(textwrap.dedent(body), encoding="utf-8")
    program = folder / "nvidia-smi"
    # Python itself in the first line would have to be a path without blanks.
    command = shlex.join([sys.executable, str(folder / "smi.py")])
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


HEADER = """
    import sys
    HEADER = "| NVIDIA-SMI 535.104.12   Driver Version: 537.42   CUDA Version: 12.2     |"
"""
posix = pytest.mark.skipif(os.name != "posix", reason="the fake nvidia-smi is a script")


@posix
@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        HEADER.replace("Driver Version", "KMD Version").replace("CUDA V", "CUDA UMD V"),
    ],
    ids=["until 600", "from 610"],
)
def test_nvidia_smi_is_read(header: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = (
        header
        + """
    if len(sys.argv) == 1:
        print(HEADER)
    else:
        print("WARNING: infoROM is corrupted, gpu 0000:0A:00.0, see the log, please")
        print("NVIDIA RTX A4000, 15352 MiB, 8.6")
        print("NVIDIA GH200, [N/A], [N/A]")
    """
    )
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    found = doctor["ask_driver"]()
    assert (found["state"], found["version"], found["cuda"]) == ("ok", "537.42", "12.2")
    assert [gpu["name"] for gpu in found["gpus"]] == ["NVIDIA RTX A4000", "NVIDIA GH200"]
    assert [gpu["capability"] for gpu in found["gpus"]] == ["8.6", None]


@posix
def test_an_old_nvidia_smi_without_compute_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        HEADER
        + """
    if len(sys.argv) == 1:
        print(HEADER)
    elif "compute_cap" in sys.argv[1]:
        print('Field "compute_cap" is not a valid field to query.')
        sys.exit(2)
    else:
        print("Tesla T4, 15109 MiB")
    """
    )
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    assert doctor["ask_driver"]()["gpus"] == [
        {"name": "Tesla T4", "memory": "15109 MiB", "capability": None}
    ]


@posix
def test_a_failing_nvidia_smi_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    import sys
    print("Failed to initialize NVML: Driver/library version mismatch", file=sys.stderr)
    sys.exit(18)
    """
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    found = doctor["ask_driver"]()
    assert found["state"] == "failed"
    assert found["error"] == "Failed to initialize NVML: Driver/library version mismatch"


SLOW = """
    import sys, time
    print("first words", flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_a_program_that_does_not_answer_is_ended_and_what_it_said_is_kept() -> None:
    code = textwrap.dedent(SLOW)
    state, text = doctor["run"]([sys.executable, "-c", code], 2)
    assert (state, text.strip()) == ("no answer", "first words")


def test_a_program_that_is_not_there() -> None:
    assert doctor["run"](["no-such-program-here"], 2) == ("absent", "not found")


@pytest.mark.parametrize(
    ("status", "state"),
    [(0, "ok"), (1, "failed"), (-4, "SIGILL"), (-200, "signal 200"), (0xC000001D, "0xC000001D")],
)
def test_how_a_process_ended(status: int, state: str) -> None:
    if status == -4 and os.name != "posix":
        pytest.skip("signals have these numbers on POSIX")
    assert doctor["ending"](status) == state


FAKE_TORCH = """
    import os, types

    __version__ = "2.13.0+cu130"
    version = types.SimpleNamespace(cuda="13.0", hip=None, xpu=None)
    backends = types.SimpleNamespace()

    def init():
        if "CUDA_VISIBLE_DEVICES" in os.environ:
            raise RuntimeError("No CUDA GPUs are available")

    cuda = types.SimpleNamespace(
        is_available=lambda: False, device_count=lambda: 2, init=init, get_arch_list=list
    )
"""


@pytest.fixture
def cpu_torch(tmp_path: Path) -> str:
    """A folder with a torch that is a CPU build: the real one takes seconds to import."""
    text = textwrap.dedent(FAKE_TORCH).replace('cuda="13.0"', "cuda=None")
    (tmp_path / "torch.py").write_text(text, encoding="utf-8")
    return str(tmp_path)


def run_doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("LC_", "PYTHON"))
    }
    return subprocess.run(
        [sys.executable, str(DOCTOR), *arguments], capture_output=True, env=kept | environment
    )


def in_json(**environment: str) -> dict[str, Any]:
    done = run_doctor("--json", "--lang", "zh", PYTHONIOENCODING="utf-8", **environment)
    assert done.stdout.isascii()
    return json.loads(done.stdout)


def test_hidden_is_proved_by_a_second_process(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(textwrap.dedent(FAKE_TORCH), encoding="utf-8")
    found = in_json(PYTHONPATH=str(tmp_path), CUDA_VISIBLE_DEVICES="")
    assert found["diagnosis"]["code"] == "hidden-devices"
    assert found["facts"]["unhidden"] == 2


def test_a_file_named_torch_is_not_taken_for_pytorch(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("tensor = 1\n", encoding="utf-8")
    found = in_json(PYTHONPATH=str(tmp_path))["diagnosis"]
    assert found["code"] == "own-file-named-torch"
    assert str(tmp_path / "torch.py") in found["next"][0]


def package(folder: Path, text: str) -> str:
    """A torch that lies where PyTorch's would, and the folder to put on the path."""
    (folder / "torch").mkdir()
    (folder / "torch" / "version.py").write_text("", encoding="utf-8")
    (folder / "torch" / "__init__.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return str(folder)


def test_a_torch_that_cannot_be_loaded(tmp_path: Path) -> None:
    found = in_json(PYTHONPATH=package(tmp_path, "import torch_c10"))["diagnosis"]
    assert found["code"] == "torch-broken"
    assert "torch_c10" in found["why"][0]


CRASH = "import os, signal; os.kill(os.getpid(), signal.{})"


@posix
def test_an_import_that_kills_the_process(tmp_path: Path) -> None:
    found = in_json(PYTHONPATH=package(tmp_path, CRASH.format("SIGILL")))["diagnosis"]
    assert found["code"] == "crashed"
    assert "import torch: SIGILL" in found["why"]


@posix
def test_a_gpu_that_kills_the_process_does_not_hide_the_one_before(tmp_path: Path) -> None:
    text = textwrap.dedent(FAKE_TORCH).replace("lambda: False", "lambda: True") + (
        "cuda.get_device_capability = lambda index: (8, 9)\n"
        "def ones(*shape, device):\n"
        "    if device == 'cuda:1':\n"
        f"        {CRASH.format('SIGSEGV')}\n"
        "    raise RuntimeError('CUDA error: an illegal memory access was encountered')\n"
    )
    found = in_json(PYTHONPATH=package(tmp_path, text))
    assert found["diagnosis"]["code"] == "crashed"
    assert "compute on cuda:1: SIGSEGV" in found["diagnosis"]["why"]
    assert len(found["facts"]["gpu"]["devices"]) == 1


@pytest.mark.slow
def test_a_step_that_never_returns_is_a_diagnosis(tmp_path: Path, monkeypatch) -> None:
    folder = package(tmp_path, "import time; time.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", folder)
    seconds = doctor["SECONDS"]
    monkeypatch.setitem(seconds, "torch", 1)
    found = doctor["diagnose"](facts(**doctor["ask_torch"]()))
    assert found["code"] == "no-answer"
    assert "import torch: no answer" in found["why"]


def dist_info(folder: Path, name: str, version: str, *lines: str) -> None:
    """A package as an installer leaves it: the name, the version, further lines of metadata."""
    place = folder / f"{name}-{version}.dist-info"
    place.mkdir(parents=True)
    text = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines, ""])
    (place / "METADATA").write_text(text, encoding="utf-8")
    (place / "INSTALLER").write_text("pip\n", encoding="utf-8")


def test_every_torch_on_the_path_is_found(tmp_path: Path, monkeypatch) -> None:
    for number, version in enumerate(("2.13.0+cpu", "2.12.1+cu130")):
        dist_info(tmp_path / str(number), "torch", version)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "0"), str(tmp_path / "1")] * 2)
    found = doctor["torch_copies"]()
    assert [copy["version"] for copy in found] == ["2.13.0+cpu", "2.12.1+cu130"]
    assert {copy["by"] for copy in found} == {"pip"}


def test_what_torchvision_and_torchaudio_require_is_read(tmp_path: Path, monkeypatch) -> None:
    needs = ("Requires-Dist: numpy", "Requires-Dist: torch (==2.13.0)")
    dist_info(tmp_path, "torchvision", "0.28.0+cu130", *needs)
    dist_info(tmp_path, "torchaudio", "2.11.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert doctor["companions"]() == [
        {"name": "torchvision", "version": "0.28.0+cu130", "needs": "torch (==2.13.0)"},
        {"name": "torchaudio", "version": "2.11.0", "needs": None},
    ]


@pytest.mark.parametrize(
    ("torch", "needs", "version", "fits"),
    [
        ("2.13.0+cu130", "torch (==2.13.0)", "0.28.0", True),
        ("2.13.0+cu130", "torch==2.13.0", "0.28.0+cu132", True),
        ("2.13.0+cu130", "torch==2.13.0", "0.28.0+cu126", False),
        ("2.13.0+cu130", "torch==2.12.0", "0.27.0+cu130", False),
        ("2.14.1+cu130", "torch>=2.14.0", "0.29.2", True),
        ("2.13.0", None, "0.28.0+cpu", True),
        ("2.13.0+cu130", None, "0.28.0+cpu", False),
    ],
)
def test_packages_that_do_not_fit_torch(torch: str, needs: str, version: str, fits: bool) -> None:
    one = {"name": "torchvision", "version": version, "needs": needs}
    found = doctor["misfits"](facts(torch={"version": torch}, companions=[one]))
    assert bool(found) != fits


def test_what_conda_recorded_is_seen(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert not doctor["conda_has_torch"]()
    (tmp_path / "conda-meta").mkdir()
    (tmp_path / "conda-meta" / "pytorch-lightning-2.5.json").write_text("{}", encoding="utf-8")
    assert not doctor["conda_has_torch"]()
    (tmp_path / "conda-meta" / "libtorch-2.10.0-cuda129_h1.json").write_text("{}", encoding="utf-8")
    assert doctor["conda_has_torch"]()


def test_the_scheduler_is_named(monkeypatch) -> None:
    for name in doctor["SCHEDULERS"]:
        monkeypatch.delenv(name, raising=False)
    assert doctor["scheduler"]() is None
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert doctor["scheduler"]() == "slurm"


def test_processes_are_read_without_the_names_of_folders() -> None:
    text = f"{os.getpid()}, /home/wang/env/bin/python3\n99999999, C:\\Users\\w\\a b.exe\n[N/A], x\n"
    mine, other = doctor["read_processes"](text)
    assert (mine["pid"], mine["name"]) == (os.getpid(), "python3")
    assert mine["own"] == os.path.isdir("/proc/self") and not other["own"]
    assert other["name"] == "a b.exe"


def test_the_system_is_read_in_the_form_of_the_facts() -> None:
    found = doctor["system_facts"]()
    assert doctor["complete"](found, {key: doctor["FACTS"][key] for key in found}) == found


def test_without_torch() -> None:
    """-S and -I leave this environment's packages out."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(DOCTOR), "--json"], capture_output=True, check=False
    )
    assert json.loads(done.stdout)["diagnosis"]["code"] == "torch-missing"
    assert done.returncode == 1


@pytest.mark.slow
def test_here_it_agrees_with_torch() -> None:
    import torch

    done = run_doctor("--json")
    found = json.loads(done.stdout)
    status = 2 if found["diagnosis"]["code"] == "unknown" else 1
    assert done.returncode == (0 if found["diagnosis"]["healthy"] else status)
    assert found["facts"]["torch"]["version"] == torch.__version__
    if torch.version.cuda is None and not torch.accelerator.is_available():
        right = ("cpu-only-build", "no-nvidia-card", "other-backend")
        assert found["diagnosis"]["code"] in right
    if torch.cuda.is_available():
        assert len(found["facts"]["gpu"]["devices"]) == torch.cuda.device_count()


def test_json_has_stable_keys(cpu_torch: str) -> None:
    found = in_json(PYTHONPATH=cpu_torch)
    assert set(found) == {"facts", "diagnosis", "data"}
    given = doctor["FACTS"]
    assert set(found["facts"]) == set(given) - {"interpreter", "command"}
    assert set(found["diagnosis"]) == {"code", "healthy", "advice", "why", "next"}
    for key in ("torch", "gpu", "driver", "stopped"):
        assert set(found["facts"][key]) == set(given[key])
    assert found["data"]["read"] == doctor["READ"]


def test_the_facts_of_the_tests_are_those_of_the_doctor() -> None:
    def keys(value: Any) -> Any:
        return {key: keys(value[key]) for key in value} if isinstance(value, dict) else None

    assert keys(DATA["base"]) == keys(doctor["FACTS"])


def test_it_says_how_old_its_data_are(cpu_torch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run_doctor("--lang", "en", PYTHONPATH=cpu_torch).stdout.decode().splitlines()
    assert doctor["READ"] in lines[-1] and "days ago" in lines[-1]
    for zh, old in ((True, "重新下载"), (False, "download this script again")):
        monkeypatch.setitem(doctor["data_line"].__globals__, "READ", "2020-01-01")
        assert old in doctor["data_line"](zh)
        monkeypatch.setitem(doctor["data_line"].__globals__, "READ", "2999-01-01")
        assert old not in doctor["data_line"](zh)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("{home}/env/bin/python", "~/env/bin/python"),
        ("/home/wang/env/bin/python", "~/env/bin/python"),
        ("/Users/wang/env/bin/python", "~/env/bin/python"),
        (r"C:\Users\wang\env\python.exe", r"~\env\python.exe"),
        ("/usr/bin/python3", "/usr/bin/python3"),
    ],
)
def test_no_user_names(path: str, shown: str) -> None:
    given = {"a": [f"File '{path.format(home=os.path.expanduser('~'))}', line 1"], "b": None}
    assert doctor["without_user_names"](given) == {"a": [f"File '{shown}', line 1"], "b": None}


def test_a_home_of_one_slash_leaves_paths_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert doctor["without_user_names"]("/usr/bin/python3") == "/usr/bin/python3"


@pytest.mark.parametrize(
    ("arguments", "environment", "word"),
    [
        ([], {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"}, "诊断"),
        ([], {"LANG": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8"}, "Diagnosis"),
        (["--lang", "zh"], {"LANG": "C", "PYTHONIOENCODING": "utf-8"}, "诊断"),
        (["--lang", "en"], {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"}, "Diagnosis"),
        ([], {"LANG": "zh_CN.GBK", "PYTHONIOENCODING": "cp936"}, "诊断"),
        (["--lang", "zh"], {"LANG": "C", "PYTHONIOENCODING": "ascii"}, "Diagnosis"),
        ([], {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "ascii"}, "Diagnosis"),
    ],
)
def test_language_and_console(
    cpu_torch: str, arguments: list[str], environment: dict[str, str], word: str
) -> None:
    done = run_doctor(*arguments, PYTHONPATH=cpu_torch, **environment)
    assert not done.stderr, done.stderr
    assert done.returncode == 1
    assert word in done.stdout.decode(environment["PYTHONIOENCODING"])


def test_a_character_that_the_console_lacks(tmp_path: Path) -> None:
    """The error of an import may hold anything: a dash, Thai, an emoji."""
    (tmp_path / "torch.py").write_text("raise OSError('\\u2014 \\u0e01')\n", encoding="utf-8")
    done = run_doctor(PYTHONPATH=str(tmp_path), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert b"\\u0e01" in done.stdout


def test_wrong_usage_ends_with_2() -> None:
    assert run_doctor("--language", "zh").returncode == 2
    assert run_doctor("--lang", "fr").returncode == 2


def test_it_leaves_no_file_behind(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-I", "-S", str(DOCTOR)], cwd=tmp_path, capture_output=True)
    assert not list(tmp_path.iterdir())


def test_it_is_written_for_python_3_8() -> None:
    ast.parse(DOCTOR.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_it_starts_on_an_old_python() -> None:
    program = shutil.which("python3.8") or shutil.which("python3.9")
    if program is None or subprocess.run([program, "-c", ""], capture_output=True).returncode:
        pytest.skip("neither Python 3.8 nor 3.9 on this machine")
    done = subprocess.run([program, str(DOCTOR), "--json"], capture_output=True, check=False)
    assert json.loads(done.stdout)["diagnosis"]["code"] in doctor["TEXTS"]

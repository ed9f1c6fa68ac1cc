"""The doctor on every build that may be installed, by driver and card."""

from __future__ import annotations

import re
from typing import Any

import memoized_doctor
import pytest
from doctor_machines import NO_KERNEL, doctor, facts

from gpu_guide.data.wheel_choice import Machine, objections
from gpu_guide.data.wheels import load_wheels
from gpu_guide.project import HERE

WHEELS = load_wheels(HERE)


SYSTEMS = {
    "linux_x86_64": {},
    "linux_aarch64": {"machine": "aarch64"},
    "windows": {"os": "Windows", "machine": "amd64", "libc": ""},
}
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 1)."


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

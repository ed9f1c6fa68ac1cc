"""The doctor: what it makes of fabricated and of published facts, and how it behaves as a program.

`diagnose` is pure, so every case is a dict of facts. The published ones are what people posted in
the issue that each names; where a post lacks a fact, the case lacks it too.
"""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from gpu_guide import ROOT
from gpu_guide.snippets import SNIPPETS

DOCTOR = SNIPPETS / "check" / "doctor.py"
doctor = runpy.run_path(str(DOCTOR), run_name="doctor")

NO_DRIVER = (
    "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU "
    "and installed a driver from http://www.nvidia.com/Download/index.aspx"
)
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 11060)."
NO_GPUS = "RuntimeError: No CUDA GPUs are available"
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
UNEXPECTED = (
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions "
    "before calling NumCudaDevices() that might have already set an error? Error "
)
CU126 = ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"]
CU130 = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]


def card(name: str = "NVIDIA L20", capability: str | None = "8.9") -> dict[str, Any]:
    return {"name": name, "driver": "580.65.06", "memory": "46068 MiB", "capability": capability}


def driver(cuda: str | None = "13.0", *cards: dict[str, Any]) -> dict[str, Any]:
    gpus = list(cards) or [card()]
    return {"state": "ok", "version": "580.65.06", "cuda": cuda, "gpus": gpus, "error": None}


def no_smi(state: str = "absent", error: str = "not found") -> dict[str, Any]:
    return {"state": state, "version": None, "cuda": None, "gpus": [], "error": error}


def device(capability: str | None = "8.9", error: str | None = None) -> dict[str, Any]:
    return {"name": "a GPU", "capability": capability, "works": error is None, "error": error}


def facts(**changes: Any) -> dict[str, Any]:
    """A CUDA 13.0 build on a Linux machine that sees nothing yet; `torch` and `gpu` are merged."""
    torch = {"state": "ok", "version": "2.13.0+cu130", "error": None, "arch_list": CU130}
    gpu = {"backend": None, "devices": [], "error": None, "unhidden": None, "advice": []}
    return {
        "schema": 1,
        "os": "Linux",
        "wsl": False,
        "container": False,
        "python": "3.12.7",
        "interpreter": "~/env/bin/python",
        "visible_devices": None,
        "driver": no_smi(),
    } | {
        **changes,
        "torch": torch | {"cuda": "13.0", "hip": None, "xpu": None} | changes.get("torch", {}),
        "gpu": gpu | changes.get("gpu", {}),
    }


def cuda(*devices: dict[str, Any], backend: str = "cuda", **more: Any) -> dict[str, Any]:
    return {"backend": backend, "devices": list(devices), **more}


CPU_BUILD = {"version": "2.13.0+cpu", "cuda": None, "arch_list": []}

CASES = {
    "two GPUs that compute": ("healthy", facts(driver=driver(), gpu=cuda(device(), device()))),
    "computes where nvidia-smi is absent": ("healthy", facts(gpu=cuda(device()))),
    "Apple silicon": (
        "healthy",
        facts(os="Darwin", torch=CPU_BUILD, gpu=cuda(device(None), backend="mps")),
    ),
    "XPU": ("healthy", facts(torch=CPU_BUILD, gpu=cuda(device(None), backend="xpu"))),
    "a visible GPU while another is hidden": (
        "healthy",
        facts(visible_devices="1", driver=driver("13.0", card(), card()), gpu=cuda(device())),
    ),
    "no torch": (
        "torch-missing",
        facts(torch={"state": "missing", "error": "ModuleNotFoundError: No module named 'torch'"}),
    ),
    "a torch.py in the way": (
        "torch-broken",
        facts(torch={"state": "broken", "error": "AttributeError: no attribute '__version__'"}),
    ),
    "CPU build, no card": ("cpu-only-build", facts(torch=CPU_BUILD)),
    "CPU build hidden twice": ("cpu-only-build", facts(torch=CPU_BUILD, visible_devices="")),
    "no driver": ("no-driver", facts(gpu={"error": NO_DRIVER})),
    "a driver that is not running": (
        "no-driver",
        facts(
            gpu={"error": UNEXPECTED + "999: unknown error"},
            driver=no_smi(
                "failed",
                "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
            ),
        ),
    ),
    "nvidia-smi contradicts torch": ("unknown", facts(driver=driver(), gpu={"error": NO_DRIVER})),
    "driver too old": ("driver-too-old", facts(driver=driver("12.4"), gpu={"error": TOO_OLD})),
    "hidden by an empty value": (
        "hidden-devices",
        facts(visible_devices="", driver=driver(), gpu={"error": NO_GPUS, "unhidden": 1}),
    ),
    "hidden by -1": (
        "hidden-devices",
        facts(visible_devices="-1", gpu={"error": NO_GPUS, "unhidden": 2}),
    ),
    "hidden by an index that does not exist": (
        "hidden-devices",
        facts(visible_devices="7", driver=driver(), gpu={"error": NO_GPUS, "unhidden": 1}),
    ),
    "set, but nothing to hide": (
        "no-driver",
        facts(visible_devices="0", gpu={"error": NO_DRIVER, "unhidden": 0}),
    ),
    "set, and the other process did not answer": (
        "no-device",
        facts(visible_devices="", driver=driver(), gpu={"error": NO_GPUS}),
    ),
    "no device": ("no-device", facts(driver=driver(), gpu={"error": NO_GPUS})),
    "newer GPU": (
        "gpu-newer-than-build",
        facts(torch={"arch_list": CU126}, gpu=cuda(device("12.0", NO_KERNEL))),
    ),
    "older GPU": ("gpu-older-than-build", facts(gpu=cuda(device("6.1", NO_KERNEL)))),
    "one GPU of two is older": (
        "gpu-older-than-build",
        facts(gpu=cuda(device("8.9"), device("7.0", NO_KERNEL))),
    ),
    "no kernel for a GPU that the build has": (
        "computation-failed",
        facts(gpu=cuda(device("8.9", NO_KERNEL))),
    ),
    "out of memory": (
        "computation-failed",
        facts(gpu=cuda(device("8.9", "OutOfMemoryError: CUDA out of memory."))),
    ),
    "a wrong result": (
        "computation-failed",
        facts(gpu=cuda(device("8.9", "ArithmeticError: a sum of 576 came out as 0.0"))),
    ),
    "error 804": ("forward-compatibility", facts(gpu={"error": UNEXPECTED + "804: forward"})),
    "error 804 after a driver update": (
        "cuda-init-error",
        facts(
            gpu={"error": UNEXPECTED + "804: forward compatibility was attempted"},
            driver=no_smi("failed", "Failed to initialize NVML: Driver/library version mismatch"),
        ),
    ),
    "error 802": ("cuda-init-error", facts(gpu={"error": UNEXPECTED + "802: not yet initialized"})),
    "CUDA unknown error": (
        "cuda-init-error",
        facts(driver=driver(), gpu={"error": "RuntimeError: CUDA unknown error - this may be"}),
    ),
    "ROCm build without a device": ("other-backend", facts(torch={"cuda": None, "hip": "6.3"})),
    "Intel Mac": ("other-backend", facts(os="Darwin", torch=CPU_BUILD)),
    "an error never seen": ("unknown", facts(gpu={"error": "RuntimeError: something else"})),
    "no error and no GPU": ("unknown", facts(driver=driver())),
}

PUBLISHED = {
    "vllm-project/vllm#8863": (
        "cpu-only-build",
        facts(os="Windows", python="3.10.14", torch=CPU_BUILD | {"version": "2.4.0+cpu"}),
    ),
    "vllm-project/vllm#8477": (
        "cpu-only-build",
        facts(
            torch=CPU_BUILD | {"version": "2.4.0+cpu"},
            driver=driver(None, card("NVIDIA A100-SXM4-80GB", None)),
        ),
    ),
    "vllm-project/vllm#8432": (
        "cuda-init-error",
        facts(wsl=True, driver=driver(None), gpu={"error": UNEXPECTED + "2: out of memory"}),
    ),
    "vllm-project/vllm#6486": (
        "driver-too-old",
        facts(
            torch={"version": "2.3.1+cu121", "cuda": "12.1"},
            driver=driver(None, card("NVIDIA A10G", None)),
            gpu={"error": TOO_OLD},
        ),
    ),
    "ggml-org/llama.cpp#5112": (
        "no-driver",
        facts(torch={"version": "1.13.1+cu117", "cuda": "11.7", "arch_list": []}),
    ),
    "vllm-project/vllm#14433": (
        "no-driver",
        facts(torch={"version": "2.5.1+cu124", "cuda": "12.4", "arch_list": []}),
    ),
    "vllm-project/vllm#8996": ("torch-missing", facts(torch={"state": "missing"})),
    "vllm-project/vllm#14034": (
        "other-backend",
        facts(os="Darwin", torch=CPU_BUILD | {"version": "2.5.1"}),
    ),
    "vllm-project/vllm#19741": (
        "gpu-newer-than-build",
        facts(
            wsl=True,
            torch={"version": "2.7.0+cu126", "cuda": "12.6", "arch_list": CU126},
            gpu=cuda(device("12.0", NO_KERNEL), device("8.9"), device("8.6")),
        ),
    ),
    # Driver 450 runs a CUDA 11.8 build: within a major version that is allowed.
    "vllm-project/vllm#4432": (
        "healthy",
        facts(
            torch={"version": "2.1.2+cu118", "cuda": "11.8"},
            driver=driver("11.0", card("Tesla V100-SXM2-32GB", None)),
            gpu=cuda(device("7.0")),
        ),
    ),
}


@pytest.mark.parametrize("case", CASES | PUBLISHED)
def test_diagnosis(case: str) -> None:
    code, given = (CASES | PUBLISHED)[case]
    found = doctor["diagnose"](given)
    assert found["code"] == code
    assert found["healthy"] == (code == "healthy")
    assert found["why"], "a diagnosis without evidence"
    assert bool(found["next"]) == (code != "healthy")
    for zh in (True, False):
        found["text"] = doctor["TEXTS"][code][0 if zh else 1]
        assert found["text"] in doctor["report"](given, found, zh)


def test_every_text_belongs_to_a_case() -> None:
    assert {code for code, _ in (CASES | PUBLISHED).values()} == set(doctor["TEXTS"])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_lists_every_diagnosis(lang: str) -> None:
    page = (ROOT / "docs" / lang / "check" / "doctor.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE) == list(doctor["TEXTS"])


def test_the_evidence_names_what_decided() -> None:
    _, hidden = CASES["hidden by -1"]
    assert "CUDA_VISIBLE_DEVICES = '-1'" in doctor["diagnose"](hidden)["why"]
    _, newer = CASES["newer GPU"]
    why = doctor["diagnose"](newer)["why"]
    assert "compute capability = 12.0" in why
    assert "arch list = " + " ".join(CU126) in why
    for case in ("driver too old", "error 802", "an error never seen"):
        _, given = CASES[case]
        assert given["gpu"]["error"] in doctor["diagnose"](given)["why"]


ARCHITECTURES = [
    ("8.9", "sm_80 sm_86", None),
    ("8.0", "sm_86", "older"),
    ("9.0", "sm_80 sm_86", "newer"),
    ("9.0", "sm_80 compute_80", None),
    ("10.0", "sm_90a", "newer"),
    ("10.3", "sm_100a", "newer"),
    ("9.0", "sm_90a", None),
    ("12.0", "compute_90a", "newer"),
    ("10.3", "sm_100f", None),
    ("12.0", "compute_100f", "newer"),
    ("10.0", "sm_90 sm_120", None),
    ("5.2", "sm_50 sm_60", None),
    ("3.5", "sm_50 compute_50", "older"),
    ("12.1", "sm_75 sm_120", None),
    (None, "sm_90", None),
    ("9.0", "", None),
]


@pytest.mark.parametrize(("capability", "arch_list", "expected"), ARCHITECTURES)
def test_gpu_against_the_build(
    capability: str | None, arch_list: str, expected: str | None
) -> None:
    assert doctor["compare"](capability, arch_list.split()) == expected


@pytest.mark.parametrize(
    ("given", "index"),
    [
        (driver("13.0", card("RTX 5090", "12.0")), "cu130"),
        (driver("12.4"), "cu126"),
        (driver("13.0", card("GTX 1080 Ti", "6.1")), "cu126"),
        (driver("12.8", card("RTX 5090", "12.0")), None),
        (driver("11.6"), None),
        (driver("13.0", card("H100", None)), "cu130"),
        (no_smi(), None),
    ],
)
def test_the_build_it_proposes(given: dict[str, Any], index: str | None) -> None:
    lines = doctor["diagnose"](facts(torch=CPU_BUILD, driver=given))["next"]
    url = f"--index-url https://download.pytorch.org/whl/{index}"
    assert any(url in line for line in lines) == (index is not None)
    assert any("--index-url" in line for line in lines) == (index is not None)


def test_torch_s_own_advice_wins() -> None:
    advice = "pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cu126"
    old = facts(driver=driver(), gpu=cuda(device("6.1", NO_KERNEL), advice=[advice]))
    assert doctor["diagnose"](old)["next"][-1] == f"python -m {advice}"


@pytest.mark.parametrize(("version", "old"), [("3.9.18", True), ("3.10.0", False), ("3.8", True)])
def test_python_too_old(version: str, old: bool) -> None:
    assert doctor["diagnose"](facts(python=version))["python_too_old"] is old


def fake_smi(folder: Path, body: str) -> str:
    """Put a program nvidia-smi into `folder` and return a PATH that finds it."""
    program = folder / "nvidia-smi"
    program.write_text(f"#!{sys.executable}\n{textwrap.dedent(body)}", encoding="utf-8")
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
        print("NVIDIA RTX A4000, 537.42, 15352 MiB, 8.6")
        print("NVIDIA GH200, 537.42, [N/A], [N/A]")
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
        print("Tesla T4, 450.66, 15109 MiB")
    """
    )
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    assert doctor["ask_driver"]()["gpus"] == [
        {"name": "Tesla T4", "driver": "450.66", "memory": "15109 MiB", "capability": None}
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


def test_a_program_that_does_not_answer() -> None:
    class Stuck:
        TimeoutExpired, DEVNULL, PIPE, STDOUT = subprocess.TimeoutExpired, 0, 0, 0

        @staticmethod
        def run(command: list[str], **options: Any) -> None:
            assert options["timeout"] <= 60
            raise subprocess.TimeoutExpired(command, options["timeout"])

    run = doctor["run"]
    real = run.__globals__["subprocess"]
    run.__globals__["subprocess"] = Stuck
    try:
        assert run(["nvidia-smi"])[0] == "failed"
    finally:
        run.__globals__["subprocess"] = real


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
    assert found["facts"]["gpu"]["unhidden"] == 2


def test_a_file_named_torch_is_not_taken_for_pytorch(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("tensor = 1\n", encoding="utf-8")
    assert in_json(PYTHONPATH=str(tmp_path))["diagnosis"]["code"] == "torch-broken"


def test_a_torch_that_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("import torch_c10\n", encoding="utf-8")
    found = in_json(PYTHONPATH=str(tmp_path))["diagnosis"]
    assert found["code"] == "torch-broken"
    assert "torch_c10" in found["why"][0]


def test_without_torch() -> None:
    """-S and -I leave this environment's packages out."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(DOCTOR), "--json"], capture_output=True, check=False
    )
    assert json.loads(done.stdout)["diagnosis"]["code"] == "torch-missing"
    assert done.returncode == 1


def test_here_it_agrees_with_torch() -> None:
    import torch

    done = run_doctor("--json")
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["diagnosis"]["healthy"] else 1)
    assert found["facts"]["torch"]["version"] == torch.__version__
    if torch.version.cuda is None and not torch.accelerator.is_available():
        assert found["diagnosis"]["code"] in ("cpu-only-build", "other-backend")
    if torch.cuda.is_available():
        assert len(found["facts"]["gpu"]["devices"]) == torch.cuda.device_count()


def test_json_has_stable_keys(cpu_torch: str) -> None:
    found = in_json(PYTHONPATH=cpu_torch)
    assert set(found) == {"facts", "diagnosis"}
    assert set(found["facts"]) == set(facts()) - {"interpreter"}
    keys = {"code", "healthy", "python_too_old", "why", "next", "text"}
    assert set(found["diagnosis"]) == keys
    assert set(found["facts"]["torch"]) == set(facts()["torch"])
    assert set(found["facts"]["gpu"]) == set(facts()["gpu"])
    assert set(found["facts"]["driver"]) == set(no_smi())


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
    assert json.loads(done.stdout)["diagnosis"]["python_too_old"]

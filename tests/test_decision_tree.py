"""The decision tree on check/not-available: every error leads to what proves and fixes its cause.

The errors are PyTorch's own, from `c10/cuda/CUDAFunctions.cpp` and `torch/cuda/__init__.py` of 2.13
and 2.15, and those of `nvidia-smi`. No test has machines that are broken in so many ways, but none
of these errors may be left without an answer.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator

import pytest
import torch

from gpu_guide import ROOT
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE

COUNT = (
    "Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling "
    "NumCudaDevices() that might have already set an error? "
)
PYTORCH_SAYS = {
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU": "no-libcuda",
    "The NVIDIA driver on your system is too old (found version 11060).": "driver-too-old",
    "No CUDA GPUs are available": "hidden mig",
    "CUDA unknown error - this may be due to an incorrectly set up environment": "unknown-error",
    COUNT + "Error 802: system not yet initialized": "error-802",
    COUNT + "Error 803: system has unsupported display driver / cuda driver combination": (
        "version-mismatch"
    ),
    COUNT + "Error 804: forward compatibility was attempted on non supported HW": "error-804",
    "CUDA error: no kernel image is available for execution on the device": "built-for",
    "CUDA error: CUDA-capable device(s) is/are busy or unavailable": "busy",
}
NVIDIA_SMI_SAYS = {
    "bash: nvidia-smi: command not found": "no-driver",
    "The term 'nvidia-smi' is not recognized as the name of a cmdlet": "no-driver",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.": "no-driver",
    "Failed to initialize NVML: Driver/library version mismatch": "version-mismatch",
    "Failed to initialize NVML: Unknown Error": "lost-in-container",
    "No devices were found": "no-devices",
}


@pytest.fixture(params=HERE.languages)
def page(request: pytest.FixtureRequest) -> Page:
    docs = ROOT / "docs" / request.param
    return parse(docs / "check" / "not-available.md", docs)


def leaves(page: Page) -> Iterator[tuple[list[str], list[str]]]:
    """The messages that each line of the tree names, and the sections that it leads to."""
    rows = "\n".join(line.text for line in page.lines)
    tree = rows[rows.index('<div class="tree"') : rows.index("</div>")]
    for row in re.findall(r"^ *- .*$", tree, re.M):
        before = row.split("](")[0].rsplit("[", 1)[0]
        if targets := re.findall(r"\]\(\S*#([\w-]+)\)", row):
            yield re.findall(r"`([^`]+)`", before), targets


@pytest.mark.parametrize("said", [*PYTORCH_SAYS, *NVIDIA_SMI_SAYS])
def test_every_error_has_one_line_of_the_tree(page: Page, said: str) -> None:
    found = [targets for named, targets in leaves(page) if any(text in said for text in named)]
    assert len(found) == 1, f"{page.path}: {len(found)} lines of the tree name {said!r}"
    assert found[0] == (PYTORCH_SAYS | NVIDIA_SMI_SAYS)[said].split()


def test_every_section_of_the_tree_proves_and_fixes(page: Page) -> None:
    lines = {line.number: line.text for line in page.lines}
    begins = {heading.id: heading.line for heading in page.headings}
    here = {target for _, targets in leaves(page) for target in targets} & begins.keys()
    assert len(here) > 10
    for id in sorted(here - {"real-error"}):  # a step on the way
        end = min((line for line in begins.values() if line > begins[id]), default=len(lines))
        text = "\n".join(lines[number] for number in range(begins[id], end))
        where = f"{page.path}:{begins[id]}: section {id}"
        assert "**Proof**" in text or "**证明**" in text, f"{where} proves nothing"
        if id == "not-compiled":  # its table sends each kind of hardware to its own fix
            continue
        assert "**Fix**" in text or "**解决**" in text, f"{where} fixes nothing"
        commands = [fence for fence in page.fences if begins[id] < fence.line < end]
        assert commands, f"{where} has no command that proves the cause"


@pytest.mark.parametrize("said", [text for text in PYTORCH_SAYS if "Error " in text])
def test_the_number_of_an_error_is_printed(
    said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError(said)

    monkeypatch.setattr(torch.cuda, "init", fail)
    runpy.run_path(str(HERE.snippets / "check" / "real_error.py"))
    assert said[-20:] in capsys.readouterr().out


@pytest.mark.parametrize("built_for", ["cuda", "hip", "xpu"])
def test_a_build_for_any_gpu_is_not_taken_for_cpu_only(
    built_for: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cuda", "hip", "xpu"):
        monkeypatch.setattr(torch.version, name, "7.5" if name == built_for else None)
    runpy.run_path(str(HERE.snippets / "check" / "deciding_facts.py"))
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed if line.endswith("7.5")] == [
        {"cuda": "NVIDIA", "hip": "AMD", "xpu": "Intel"}[built_for]
    ]

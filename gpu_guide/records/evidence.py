"""Where a snippet's code last ran, and what it printed there: what a page may claim of it.

A published page has passed the tests, so its CPU outputs are those of the torch in
constraints.txt. A GPU is named only from a record that was made from today's code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from gpu_guide import ROOT
from gpu_guide.records.store import Record
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import Printed, Snippet

_CONSTRAINTS = ROOT / "constraints.txt"


@dataclass(frozen=True)
class Run:
    """One machine's output, as a page shows it."""

    label: dict[str, str]
    """What its tab is called, by language."""
    prints: tuple[Printed, ...]
    claims: dict[str, tuple[str, ...]]
    """What the evidence line says of the machines that printed this, by language."""


@cache
def pinned_torch() -> str:
    """The torch that CI runs the snippets with. Raises ValueError if it is not pinned."""
    match = re.search(r"^torch==(\S+)$", _CONSTRAINTS.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ValueError("constraints.txt: torch is not pinned — add a line torch==…")
    return match[1]


def runs(snippet: Snippet, records: Iterable[Record]) -> list[Run]:
    """The outputs to show, first the one that stands open: one per group of equal machines.

    Machines are equal if a page would show the same of them, whatever the order in which they
    printed. What printed nothing comes last, so that no reader has to look for the output behind
    a tab. Simulated output is shown only while no GPU has printed its own.
    """
    shown = [run for record in records if (run := _recorded(snippet, record))]
    if snippet.needs.kind != "cuda":
        shown.insert(0, _on_cpu(snippet))
    elif not shown:
        shown.append(_simulated(snippet))
    grouped: dict[str, Run] = {}
    for run in shown:
        code = snippet.code("en", run.prints)
        first = grouped.get(code)
        grouped[code] = _both(first, run) if first else run
    return sorted(grouped.values(), key=lambda run: not run.prints)


def _on_cpu(snippet: Snippet) -> Run:
    claim = f"CPU, torch {pinned_torch()}"
    claims = {"zh": claim.replace(", ", "，"), "en": claim}
    return Run({"zh": "CPU", "en": "CPU"}, snippet.outputs, _with_processes(claims, snippet, 0))


def _with_processes(
    claims: dict[str, str], snippet: Snippet, gpus: int
) -> dict[str, tuple[str, ...]]:
    """The claims, and for distributed code by what its processes talked on so many GPUs."""
    if snippet.needs.kind != "torchrun":
        return {lang: (claim,) for lang, claim in claims.items()}
    count = snippet.needs.count
    backend = "NCCL" if gpus >= count else "gloo"
    return {
        "zh": (f"{claims['zh']}，{count} 个进程（{backend}）",),
        "en": (f"{claims['en']}, {count} processes ({backend})",),
    }


def _simulated(snippet: Snippet) -> Run:
    count = snippet.needs.count
    if snippet.simulated:
        zh = f"模拟 {count} 块 GPU：只核对了张量的位置"
        en = f"Simulated, {count} GPU{'s' if count > 1 else ''}: placement only"
    else:
        zh = "需要 GPU：还没有记录，输出不显示"
        en = "Needs a GPU: not recorded yet, so no output is shown"
    return Run({"zh": "模拟", "en": "Simulated"}, snippet.outputs, {"zh": (zh,), "en": (en,)})


def further_needs(snippet: Snippet) -> dict[str, tuple[str, ...]]:
    """What the snippet needs besides GPUs and processes, as the evidence line says it."""
    needs = snippet.needs
    zh, en = [], []
    if needs.capability:
        version = "{}.{}".format(*needs.capability)
        zh.append(f"计算能力不低于 {version}")
        en.append(f"compute capability {version} or higher")
    if needs.triton:
        zh.append("Triton 和 C 编译器")
        en.append("Triton and a C compiler")
    if needs.no_wddm:
        zh.append("Windows 和 WSL2 以外的系统")
        en.append("a system other than Windows and WSL2")
    if needs.linux:
        zh.append("Linux")
        en.append("Linux")
    if not en:
        return {"zh": (), "en": ()}
    return {"zh": ("还需要" + "、".join(zh),), "en": ("Also needs " + ", ".join(en),)}


def _recorded(snippet: Snippet, record: Record) -> Run | None:
    entry = record.fresh(snippet)
    if entry is None:
        return None
    machine = record.machine(snippet.name)
    return Run(machine_name(machine), entry.prints, run_claims(snippet, machine))


def run_claims(snippet: Snippet, machine: Environment) -> dict[str, tuple[str, ...]]:
    """What to say of a recorded run of `snippet` on `machine`, by language."""
    return _with_processes(machine_claim(machine), snippet, machine.gpus)


def machine_claim(machine: Environment) -> dict[str, str]:
    """A machine with its versions and the date of its record, by language."""
    name = machine_name(machine)
    driver = f", driver {machine.driver}" if machine.driver else ""
    versions = f"torch {machine.torch}, CUDA {machine.cuda}{driver}, {machine.date}"
    zh = versions.replace("driver", "驱动").replace(", ", "，")
    return {"zh": f"{name['zh']}，{zh}", "en": f"{name['en']}, {versions}"}


def machine_name(machine: Environment) -> dict[str, str]:
    """What a machine is called where there are several, by language."""
    below = "WSL2" if machine.wsl else machine.system.partition(" ")[0]
    beside = below if below != "Linux" else ""
    if machine.cuda and not machine.gpus:
        zh, en = "CUDA 版，没有 GPU", "CUDA build, no GPU"
    else:
        zh = en = machine.gpu or machine.id
    return {"zh": f"{zh}（{beside}）", "en": f"{en} ({beside})"} if beside else {"zh": zh, "en": en}


def stale_claims(snippet: Snippet, records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """What to say of machines that ran older code of this snippet, by language."""
    names = [record.machine(snippet.name) for record in records if record.stale(snippet)]
    return {
        "zh": tuple(
            f"{m.gpu or m.id}（{m.date}）跑过，之后代码改过：那次的输出不再显示" for m in names
        ),
        "en": tuple(
            f"{m.gpu or m.id} ran older code ({m.date}): its output is not shown" for m in names
        ),
    }


def _both(first: Run, second: Run) -> Run:
    labels = {lang: f"{first.label[lang]} · {second.label[lang]}" for lang in first.label}
    claims = {lang: first.claims[lang] + second.claims[lang] for lang in first.claims}
    return Run(labels, first.prints, claims)

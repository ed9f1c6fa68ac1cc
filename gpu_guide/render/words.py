"""Every word that the renderer itself shows to readers: a table a language, with the same keys.

Another language is another table in `WORDS`. `make check` names each word that a language of the
project lacks; a page that needs one is not built. What stands in data/*.yml is translated there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from gpu_guide.problems import GuideError, Problem
from gpu_guide.snippets.model import Language

WORDS: dict[Language, dict[str, str | tuple[str, ...]]] = {
    "zh": {
        # Between the parts of a claim, the members of a list, and the links to sources.
        "comma": "，",
        "list_comma": "、",
        "semicolon": "；",
        # A snippet.
        "download": "下载 {file}",
        "run": "运行：",
        "guess": "先猜一猜，再看它打印什么",
        # Where an output comes from: the label of its tab, and what the evidence line says.
        "simulated": "模拟",
        "simulated_one": "模拟 {count} 块 GPU：只核对了张量的位置",
        "simulated_many": "模拟 {count} 块 GPU：只核对了张量的位置",
        "not_recorded": "需要 GPU：还没有记录，输出不显示",
        "stand_in": "替身 GPU，没有硬件（PyTorch {torch}）",
        "stand_in_claim": "PyTorch {torch} 自己的代码，{gpu}，没有硬件",
        "stand_in_gpu": "替身 GPU",
        "processes": "{count} 个进程（{backend}）",
        "cuda_build": "CUDA 版，没有 GPU",
        "on_system": "{name}（{system}）",
        "driver": "驱动 {version}",
        "snippet_stale": "{gpu}（{date}）跑过，之后代码改过：那次的输出不再显示",
        "also_needs": "还需要{needs}",
        "needs_capability": "计算能力不低于 {version}",
        "needs_triton": "Triton 和 C 编译器",
        "needs_no_wddm": "Windows 和 WSL2 以外的系统",
        "needs_linux": "Linux",
        # A lab.
        "notebook": "下载 notebook",
        "colab": "在 Colab 里打开",
        "how": "怎样打开",
        "output": "输出 {number}",
        "ran": "输出来自：",
        "one_thread": "1 个线程",
        "your_code": "在这里写你的代码",
        "solution": "参考答案",
        "prints": "它打印：",
        "lab_stale": "{gpu}（{date}）跑过，之后代码改过：那次的输出不再显示",
        # A plot.
        "no_plot_gpu": "还没有记录，所以没有图。"
        "有 GPU 的人运行上面的代码，就能看到自己机器上的数字。",
        "no_plot": "还没有记录，所以没有图。运行上面的代码，就能看到自己机器上的数字。",
        "figures": "图里的数字",
        # Below a table.
        "sources": "来源（{day} 读取）：",
        # The tables of wheels.
        "unchecked": "未核实",
        "second_hand": "{text}（未核实）",
        # A message on the pages of reference/errors.
        "sentence_space": "",
        "error_also": "也可能写作：{wordings}",
        "error_confirm": "**怎样确认**：{how}",
        "error_unlike": "**容易混淆的**：{others}。{apart}",
        "error_more": "详细说明：[{title}]({address})",
        "error_in_torch": "文字见 torch {releases} 的 {file}",
        "error_from": "由{source}打印",
        # The page reference/verified.
        "verified_snippet": "代码片段",
        "verified_cpu": "CPU",
        "verified_simulated": "模拟",
        "verified_stand_in": "替身 {torch}",
        "verified_build": "CUDA 版 {torch}，无 GPU",
        "verified_gpu": "GPU",
        "verified_passed": "通过",
        "verified_other": "–",
        "verified_not_run": "未运行",
        "verified_stale": "过期",
        # The page reference/apis.
        "apis_more": "还有 {count} 个代码片段",
        "apis_unused": "torch {torch} 的 {of} 个名字里，没有用到的有 {count} 个：",
        "apis_deprecated": "torch {torch} 的警告原文：“{text}”",
        "apis_shown": "见代码片段 {snippets}",
        "on_linux": "Linux",
        "on_windows": "Windows",
        "on_wsl": "WSL",
        "on_mac": "Mac",
        "on_container": "容器",
        "on_notebook": "notebook",
        "cpu": "CPU 版",
        "mps": "CPU 和 MPS",
        "none": "没有 wheel",
        "cuda": "CUDA {version}",
        "not_published": "{tag}（不再发布）",
        "nightly": "{tag}（只有每日构建）",
        "and_newer": "≥ {version}",
        "branch_and_newer": "驱动 ≥ {branch}",
        "branches": "驱动 {first}–{last}",
        "up_to": "{tags}，torch ≤ {torch}",
        "nothing": "没有",
        "card_driver": "≥ {version}（{gpu} ≥ {least}）",
        "heads_compatibility": ("索引", "torch", "Linux 驱动", "Windows 驱动", "GPU 架构"),
        "heads_choice": ("GPU 架构", "例如"),
        "heads_generations": ("GPU 架构", "计算能力", "例如", "能用的索引和 torch"),
        "heads_pip": ("torch", "Linux x86-64", "Linux Arm", "Windows", "Mac（Apple 芯片）"),
        "heads_releases": ("torch", "最新补丁", "CUDA 版的索引", "Python"),
        "heads_arm": ("索引", "torch", "编译进去的架构"),
        "heads_drivers": ("`torch.version.cuda`", "Linux 驱动", "Windows 驱动"),
        # The table of NCCL backends.
        # The tables of GPUs.
        "about": "≈ {value}",
        "yes": "有",
        "no": "没有",
        "heads_gpus": (
            "GPU",
            "计算能力",
            "显存 GB",
            "带宽 GB/s",
            "FP32",
            "FP16 / bf16",
            "FP8",
        ),
        "gpus_nvlink": "NVLink GB/s",
        "heads_gpus_laptop": ("GPU", "计算能力", "SM 数", "显存 GB", "带宽 GB/s"),
        "heads_gpus_needs": (
            "计算能力",
            "架构",
            "bf16",
            "FP8",
            "最新的 torch 和索引",
            "Linux 驱动",
        ),
        "heads_backends": ("不同之处", "{since} 之前", "从 {since} 起"),
    },
    "en": {
        "comma": ", ",
        "list_comma": ", ",
        "semicolon": "; ",
        "download": "Download {file}",
        "run": "Run: ",
        "guess": "Guess first, then see what it prints",
        "simulated": "Simulated",
        "simulated_one": "Simulated, {count} GPU: placement only",
        "simulated_many": "Simulated, {count} GPUs: placement only",
        "not_recorded": "Needs a GPU: not recorded yet, so no output is shown",
        "stand_in": "Stand-in GPU, no hardware (PyTorch {torch})",
        "stand_in_claim": "PyTorch {torch}'s own code on a {gpu}, no hardware",
        "stand_in_gpu": "stand-in GPU",
        "processes": "{count} processes ({backend})",
        "cuda_build": "CUDA build, no GPU",
        "on_system": "{name} ({system})",
        "driver": "driver {version}",
        "snippet_stale": "{gpu} ran older code ({date}): its output is not shown",
        "also_needs": "Also needs {needs}",
        "needs_capability": "compute capability {version} or higher",
        "needs_triton": "Triton and a C compiler",
        "needs_no_wddm": "a system other than Windows and WSL2",
        "needs_linux": "Linux",
        "notebook": "Download the notebook",
        "colab": "Open in Colab",
        "how": "How to open it",
        "output": "Output {number}",
        "ran": "Outputs from: ",
        "one_thread": "1 thread",
        "your_code": "your code here",
        "solution": "Solution",
        "prints": "It prints:",
        "lab_stale": "{gpu} ran older code ({date}): its outputs are not shown",
        "no_plot_gpu": "No record yet, so there is no plot. "
        "On a GPU, the code above prints your figures.",
        "no_plot": "No record yet, so there is no plot. The code above prints your figures.",
        "figures": "The figures of the plot",
        "sources": "Sources, read {day}: ",
        "unchecked": "not checked",
        "second_hand": "{text} (not checked)",
        "sentence_space": " ",
        "error_also": "Also written as {wordings}",
        "error_confirm": "**To confirm:** {how}",
        "error_unlike": "**Not to be confused with** {others}. {apart}",
        "error_more": "Explained in [{title}]({address})",
        "error_in_torch": "text in {file} of torch {releases}",
        "error_from": "printed by {source}",
        "verified_snippet": "snippet",
        "verified_cpu": "CPU",
        "verified_simulated": "simulated",
        "verified_stand_in": "stand-in {torch}",
        "verified_build": "CUDA build {torch}, no GPU",
        "verified_gpu": "GPU",
        "verified_passed": "passed",
        "verified_other": "–",
        "verified_not_run": "not run",
        "verified_stale": "stale",
        "apis_more": "and {count} more snippets",
        "apis_unused": "Of {of} names in torch {torch}, {count} are not used:",
        "apis_deprecated": 'torch {torch} warns, "{text}."',
        "apis_shown": "Shown in {snippets}",
        "on_linux": "Linux",
        "on_windows": "Windows",
        "on_wsl": "WSL",
        "on_mac": "Mac",
        "on_container": "containers",
        "on_notebook": "notebooks",
        "cpu": "CPU-only",
        "mps": "CPU and MPS",
        "none": "no wheel",
        "cuda": "CUDA {version}",
        "not_published": "{tag} (no longer published)",
        "nightly": "{tag} (nightly only)",
        "and_newer": "≥ {version}",
        "branch_and_newer": "driver ≥ {branch}",
        "branches": "driver {first}–{last}",
        "up_to": "{tags}, torch ≤ {torch}",
        "nothing": "none",
        "card_driver": "≥ {version} ({gpu} ≥ {least})",
        "heads_compatibility": (
            "index",
            "torch",
            "Linux driver",
            "Windows driver",
            "GPU generations",
        ),
        "heads_choice": ("GPU generation", "such as"),
        "heads_generations": (
            "GPU generation",
            "compute capability",
            "such as",
            "indexes and torch",
        ),
        "heads_pip": ("torch", "Linux x86-64", "Linux Arm", "Windows", "Mac (Apple silicon)"),
        "heads_releases": ("torch", "newest patch", "indexes of its CUDA builds", "Python"),
        "heads_arm": ("index", "torch", "architectures compiled in"),
        "heads_drivers": ("`torch.version.cuda`", "Linux driver", "Windows driver"),
        "about": "≈ {value}",
        "yes": "yes",
        "no": "no",
        "heads_gpus": (
            "GPU",
            "compute capability",
            "memory, GB",
            "bandwidth, GB/s",
            "FP32",
            "FP16 / bf16",
            "FP8",
        ),
        "gpus_nvlink": "NVLink, GB/s",
        "heads_gpus_laptop": (
            "GPU",
            "compute capability",
            "SMs",
            "memory, GB",
            "bandwidth, GB/s",
        ),
        "heads_gpus_needs": (
            "compute capability",
            "generation",
            "bf16",
            "FP8",
            "newest torch and indexes",
            "Linux driver",
        ),
        "heads_backends": ("what differs", "before {since}", "since {since}"),
    },
}


@dataclass(frozen=True)
class Words:
    """The words of one language: `say = Words(language)`, then `say("download", file="a.py")`.

    Raises GuideError that names this file, the language and the key where it lacks a word.
    """

    language: Language

    def __call__(self, key: str, **values: Any) -> str:
        """The words of `key` around the `values`; with HTML among these, HTML."""
        return self._filled(self._of(key), values)

    def counted(self, key: str, count: int) -> str:
        """The words of `key` for so many things: `simulated_one` or `simulated_many`."""
        return self(f"{key}_{'one' if count == 1 else 'many'}", count=count)

    def heads(self, key: str, **values: Any) -> list[str]:
        """The heads of a table's columns."""
        return [self._filled(text, values) for text in self._of(f"heads_{key}")]

    def listed(self, parts: Sequence[str], comma: str = "list_comma") -> str:
        """The parts with the language's comma between them; with HTML among these, HTML."""
        between = self(comma)
        return (escape(between) if _has_html(parts) else between).join(parts)

    def _filled(self, text: str, values: dict[str, Any]) -> str:
        return (escape(text) if _has_html(values.values()) else text).format(**values)

    def _of(self, key: str) -> Any:
        table = WORDS.get(self.language, {})
        if key not in table:
            raise GuideError(_missing(self.language, key))
        return table[key]


def missing(languages: Sequence[Language]) -> Iterator[Problem]:
    """A problem for each word that one of the languages lacks."""
    keys = dict.fromkeys(key for table in WORDS.values() for key in table)
    for language in languages:
        yield from (_missing(language, key) for key in keys if key not in WORDS.get(language, {}))


def _missing(language: Language, key: str) -> Problem:
    there = " and ".join(one for one, table in WORDS.items() if key in table)
    remedy = f"add it to WORDS[{language!r}]" + (f", as for {there}" if there else "")
    return Problem(Path(__file__), None, f"no word {key!r} in {language!r}", remedy)


def _has_html(values: Any) -> bool:
    return any(isinstance(value, Markup) for value in values)

"""Names of code in running text: which are found, and that messages have them in code font."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_guide.checks import _said_badly
from gpu_guide.data.errors import load_errors
from gpu_guide.pages.identifiers import bare
from gpu_guide.project import HERE, Project


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Call backward() on the loss.", ["backward()"]),
        ("Set CUDA_HOME or pin_memory.", ["CUDA_HOME", "pin_memory"]),
        ("加上 --index-url 再用 torch.compile", ["--index-url", "torch.compile"]),
        ("torch.cuda.is_available() returns False.", ["torch.cuda.is_available()", "False"]),
        ("It is None. None of the GPUs works.", ["None"]),
        ("打印 None，是 True", ["None", "True"]),
        ("先运行 nvidia-smi。", ["nvidia-smi"]),
    ],
)
def test_what_is_code_is_found(text: str, found: list[str]) -> None:
    assert list(bare(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "`pin_memory` and `backward()`, `nvidia-smi -L`",
        "see github.com/open-mmlab/mmcv/blob/main/setup_x.py or https://a.example/x_y",
        "llama.cpp, nvcc and VAE Decode (Tiled), 2.13 and 3.x, the GPU(s)",
        "None of them is true, none works, and no index is false.",
        "nvidia-smi-like, torch-scatter, data.pyg.org, hf-mirror.com",
    ],
)
def test_words_addresses_and_what_is_in_code_font_are_not(text: str) -> None:
    assert list(bare(text)) == []


def test_a_message_with_a_bare_name_is_told_with_its_line(tmp_path: Path) -> None:
    shutil.copytree(HERE.errors, tmp_path / "data/errors")
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        shutil.copyfile(HERE.root / name, tmp_path / name)
    project = Project(tmp_path)
    messages = load_errors(project)
    assert list(_said_badly(project, messages)) == []
    message = messages["out-of-memory"]
    changed = replace(message, fix=message.fix | {"en": "Set num_workers to 0, num_workers."})
    (problem,) = _said_badly(project, {message.id: changed})
    assert problem.file.name == "memory.yml"
    assert problem.line
    assert "'num_workers' in 'en' without code font — write `num_workers`" in str(problem)

"""rumdl sees the names in what is indented. `make check` has it look at all pages."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from gpu_guide import ROOT


def test_rumdl_sees_names_inside_admonitions_and_tabs(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    note = '!!! note "提示"\n\n    用 pytorch。\n'
    text = f'# 页\n\n{note}\n=== "一"\n\n    用 Pytorch，写 `pytorch`。\n'
    file.write_text(text, encoding="utf-8")
    program = shutil.which("rumdl", path=str(Path(sys.executable).parent))
    command = [program, "check", "--no-cache", "--config", str(ROOT / "rumdl.toml")]
    command += ["--output-format", "json", str(file)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    found = [(one["rule"], one["line"]) for one in json.loads(done.stdout)]
    assert found == [("MD044", 5), ("MD044", 9)]

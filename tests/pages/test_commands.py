"""pip on pages and in messages: which forms are commands to type, and which only names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.pages.commands import check, check_data
from gpu_guide.pages.page import parse


def found(folder: Path, text: str) -> list[str]:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return [str(problem).partition("page.md:")[2] for problem in check(parse(page))]


@pytest.mark.parametrize(
    "text",
    [
        "```bash\npip install torch\n```",
        '=== "Linux"\n\n    ```bash\n    pip3 install torch\n    ```',
        "```powershell\ncd x && pip list\n```",
        "```dockerfile\nRUN pip install torch\n```",
        "```console\n$ pip install torch\n```",
        "Run `pip install py-spy` first.",
        "先运行 `pip list | grep torch`。",
    ],
)
def test_a_bare_pip_is_told(tmp_path: Path, text: str) -> None:
    (problem,) = found(tmp_path, text)
    assert "python -m pip" in problem


@pytest.mark.parametrize(
    "text",
    [
        "```bash\npython -m pip install torch\nuv pip install torch\n```",
        "```powershell\n.venv\\Scripts\\python.exe -m pip list\n```",
        "```text\npip install torch --user\n```",
        "A plain `pip install torch` gives the CPU-only build; `%pip` does not.",
        "```bash\n# pip installs the rest\n```",
    ],
)
def test_other_forms_and_the_names_of_practices_are_let_be(tmp_path: Path, text: str) -> None:
    assert not found(tmp_path, text)


def test_the_texts_of_messages_are_read_too(tmp_path: Path) -> None:
    data = tmp_path / "driver.yml"
    data.write_text("- en: 'Run `pip check`.'\n- en: 'Run `python -m pip check`.'\n", "utf-8")
    (problem,) = check_data(data)
    assert problem.line == 1

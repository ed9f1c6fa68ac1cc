"""`make new`: begin a page, in both languages, a snippet or a lab, as the checks expect them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from gpu_guide import ROOT
from gpu_guide.problems import fault

_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*(?:/[a-z0-9]+(?:[-_][a-z0-9]+)*)*$")
_PAGES = {
    "zh": "---\ntitle: 标题\ndescription: 用一句话说清这一页回答什么问题，15 到 80 个字。\n---\n\n"
    "# 标题\n\n先用两句话回答。\n",
    "en": "---\ntitle: Title\ndescription: One sentence that says which question this page "
    "answers, 30 to 160 characters.\n---\n\n# Title\n\nAnswer in two sentences first.\n",
}
_LAB = """# minutes: 10
# colab: yes

# %% setup
import torch

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
print(device)
"""
_SNIPPET = '"""What it shows, in one line.\n\n它说明什么，一行写完。\n"""\n\nimport torch\n'


def new_page(name: str, root: Path = ROOT, say: Callable[[str], None] = print) -> None:
    """Write docs/zh/NAME.md and docs/en/NAME.md. Raises GuideError, and then writes neither."""
    files = {root / "docs" / lang / f"{_checked(name)}.md": text for lang, text in _PAGES.items()}
    _write(files, root, say)
    say(
        f"Now add `{name}.md` to `nav` in mkdocs.yml and mkdocs.en.yml, write, and run `make test`."
    )


def new_snippet(name: str, root: Path = ROOT, say: Callable[[str], None] = print) -> None:
    """Write snippets/NAME.py. Raises GuideError where it exists."""
    _write({root / "snippets" / f"{_checked(name)}.py": _SNIPPET}, root, say)
    say(f"Name it on a page in a fence:\n```snippet\n{name}\n```\n"
        "Run it, and have its output written, with "
        f"`make test ARGS='snippets/{name}.py --update-examples'`.")  # fmt: skip


def new_lab(name: str, root: Path = ROOT, say: Callable[[str], None] = print) -> None:
    """Write labs/NAME.py and both texts. Raises GuideError, and then writes nothing."""
    if "/" in _checked(name):
        what = f"{name!r}: a lab has a name without a topic"
        raise fault(None, None, what, "write it like first-training")
    files = {root / "labs" / f"{name}.py": _LAB}
    for lang, text in _PAGES.items():
        path = root / "docs" / lang / "labs" / f"{name}.md"
        files[path] = f"{text}\n```cell\n{name}/setup\n```\n"
    _write(files, root, say)
    say(
        f"Write, run `make lab name={name}`, and add `labs/{name}.ipynb` to `nav` in mkdocs.yml "
        "and mkdocs.en.yml, and to the tables of labs/index.md."
    )


NEW = {"page": new_page, "snippet": new_snippet, "lab": new_lab}
"""What `make new` can begin."""


def _checked(name: str) -> str:
    if not _NAME.match(name):
        remedy = "write topic/name in lower case, for example check/devices"
        raise fault(None, None, f"{name!r}: not a name", remedy)
    return name


def _write(files: dict[Path, str], root: Path, say: Callable[[str], None]) -> None:
    there = [path for path in files if path.exists()]
    if there:
        raise fault(there[0], None, "exists already", "choose another name, or edit that file")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        say(f"wrote {path.relative_to(root).as_posix()}")

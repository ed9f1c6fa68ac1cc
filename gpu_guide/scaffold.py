"""`make new`: begin a page, in both languages, a snippet or a lab, as the checks expect them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from gpu_guide import ROOT
from gpu_guide.data import addresses
from gpu_guide.pages import nav
from gpu_guide.pages.twins import mark_in_line
from gpu_guide.problems import fault
from gpu_guide.project import Project

_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*(?:/[a-z0-9]+(?:[-_][a-z0-9]+)*)*$")
_PAGES = {
    "zh": """---
title: TODO {name} 的标题
description: TODO 用一句话说清 {name} 这一页回答什么问题。
---

# TODO 标题

TODO 先用两句话回答。
""",
    "en": """---
title: TODO title of {name}
description: TODO say in one sentence which question the page {name} answers.
---

# TODO title

TODO answer in two sentences first.
""",
}
"""What is to be written says TODO, which the checks tell until it is."""
_LAB = """# minutes: 10
# colab: yes

# %% setup
import torch

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
print(device)
"""
_SNIPPET = '''"""TODO What it shows, in one line.

TODO 它说明什么，一行写完。
"""

import torch

x = torch.arange(3)

print(x.tolist())
'''


def new_page(name: str, root: Path = ROOT, say: Callable[[str], None] = print) -> None:
    """Write docs/zh/NAME.md and docs/en/NAME.md, in line, and name them in both navigations.

    They show the snippet of the same name where there is one. Raises GuideError, and then writes
    nothing.
    """
    snippet = _checked(name).replace("-", "_")
    shows = (root / "snippets" / f"{snippet}.py").is_file()
    fence = f"\n```snippet\n{snippet}\n```\n" if shows else ""
    navs = list(Project(root).configs.values())
    for path in navs:
        nav.place(path, f"{name}.md")  # so that nothing is written where this fails
    files = {
        root / "docs" / lang / f"{name}.md": text.format(name=name) + fence
        for lang, text in _PAGES.items()
    }
    _write(files, root, say)
    mark_in_line(root / "docs", f"{name}.md")
    for path in navs:
        line = nav.add(path, f"{name}.md")
        say(f"added to nav: {path.name}:{line}")
    _note_address(name, root, say)
    say("Write what says TODO: `make check` tells what is left.")


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
        files[path] = f"{text.format(name=name)}\n```cell\n{name}/setup\n```\n"
    _write(files, root, say)
    _note_address(f"labs/{name}", root, say)
    say(
        f"Write, run `make lab name={name}`, and add `labs/{name}.ipynb` to `nav` in mkdocs.yml "
        "and mkdocs.en.yml, and to the tables of labs/index.md."
    )


NEW = {"page": new_page, "snippet": new_snippet, "lab": new_lab}
"""What `make new` can begin."""


def _note_address(name: str, root: Path, say: Callable[[str], None]) -> None:
    path = Project(root).data / addresses.FILE
    if path.is_file():
        say(f"noted its address: data/{path.name}:{addresses.note(path, name)}")


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

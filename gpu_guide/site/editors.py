"""The snippets for editors: files in which an abbreviation such as `gpu-device-moves` stands for
the code of snippets/device/moves.py, with the comments of one language.

site/en/editor/pytorch-gpu.code-snippets   for VS Code
site/en/editor/pytorch-gpu.xml             live templates of PyCharm
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape

from gpu_guide.project import Project
from gpu_guide.render.snippet import without_outputs
from gpu_guide.snippets.model import load_snippets

LONGEST = 200
"""Lines of code: what is longer is a program that is downloaded, such as the doctor."""
GROUP = "PyTorch GPU Guide"


def files(project: Project, language: str) -> dict[str, str]:
    """The texts of both files by their place below the language's folder. Raises GuideError."""
    found = {}
    for snippet in load_snippets(project).values():
        code = without_outputs(snippet.code(language))
        if code.count("\n") <= LONGEST:
            found[abbreviation(snippet.name)] = (snippet.title[language].rstrip(".。"), code)
    return {
        "editor/pytorch-gpu.code-snippets": for_vs_code(found),
        "editor/pytorch-gpu.xml": for_pycharm(found),
    }


def abbreviation(name: str) -> str:
    """What a reader types for the snippet `device/moves`."""
    return "gpu-" + re.sub(r"[/_]", "-", name)


def for_vs_code(found: Mapping[str, tuple[str, str]]) -> str:
    """Titles and codes by abbreviation. A dollar would begin a variable, and a backslash takes
    away what the next character means."""
    entries = {
        name: {
            "scope": "python",
            "prefix": name,
            "description": title,
            "body": [re.sub(r"([\\$}])", r"\\\1", line) for line in code.splitlines()],
        }
        for name, (title, code) in found.items()
    }
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def for_pycharm(found: Mapping[str, tuple[str, str]]) -> str:
    """The same as live templates, in which two dollars are one."""
    entries = (
        f'  <template name="{name}" value="{_attribute(code.replace("$", "$$"))}" '
        f'description="{_attribute(title)}" toReformat="false" toShortenFQNames="false">\n'
        '    <context><option name="Python" value="true"/></context>\n  </template>\n'
        for name, (title, code) in found.items()
    )
    return f'<templateSet group="{GROUP}">\n{"".join(entries)}</templateSet>\n'


def _attribute(text: str) -> str:
    # A line end that is written as it is would be read as a blank.
    return escape(text).replace("\n", "&#10;")

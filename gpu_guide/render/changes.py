"""A fence `changes` with the names of two snippets becomes the diff from one to the other.

So a page that changes a script step by step shows what changes, and it cannot be out of date.
"""

from __future__ import annotations

import difflib
import re

from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import Snippet, load_snippets


class Changes:
    """`Changes(project, say)("learn/train learn/train_ddp")`. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, names: str) -> str:
        snippets = loaded(load_snippets, self.project, self.project.snippets)
        chosen = names.split()
        if len(chosen) != 2:
            raise fault(None, None, f"not two snippets: {names!r}", "name the old and the new one")
        for name in chosen:
            if name not in snippets:
                remedy = did_you_mean(name, snippets, f"create snippets/{name}.py")
                raise fault(None, None, f"no snippet {name!r}", remedy)
        old, new = (snippets[name] for name in chosen)
        if not (text := difference(self.say.language, old, new)):
            raise fault(None, None, f"{names}: nothing changes", "name two that differ")
        return f"```diff\n{text}\n```"


def difference(language: str, old: Snippet, new: Snippet) -> str:
    """The lines that make `new` of `old`, and above each part the function that it is in."""
    before, after = (one.code(language, ()).rstrip().split("\n") for one in (old, new))
    parts: list[list[str]] = []
    for row in list(difflib.unified_diff(before, after, n=1, lineterm=""))[2:]:
        if found := re.match(r"@@ -(\d+)", row):
            parts.append([found[1]])
        else:
            parts[-1].append(row)
    rows = []
    for start, *part in parts:
        while not part[0].strip():
            part = part[1:]
        while not part[-1].strip():
            part = part[:-1]
        above = reversed(before[: int(start) - 1])
        named = (re.match(r"(?:def|class) (\w+)", line) for line in above)
        name = next((found[1] for found in named if found), "")
        rows += [f"@@ {name} @@" if part[0][1:2].isspace() else "@@", *part]
    return "\n".join(rows)

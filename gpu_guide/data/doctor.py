"""The part of `data/wheels.yml` that `snippets/check/doctor.py` carries, as Python.

The doctor is one file that a reader downloads, so it cannot read our data: it holds a copy between
two markers. `carried` makes that copy.
"""

from __future__ import annotations

import ast
from itertools import groupby

from gpu_guide.data.wheels import Build, Wheels
from gpu_guide.project import Project
from gpu_guide.snippets.format import MAX_COLUMNS

BEGIN = """\
# zh: --- 数据：从 data/wheels.yml 抄来，不在这里改 ---
# en: --- data: copied from data/wheels.yml, not edited here ---
"""
END = """
# zh: --- 数据到此为止 ---
# en: --- end of the data ---
"""


def carried(wheels: Wheels) -> str:
    """The lines between the markers, both markers included."""
    entries = [*wheels.releases, *wheels.builds, *wheels.drivers]
    days = [entry.read for entry in entries]
    lines = [f'READ = "{max(days)}"', "DRIVERS = {"]
    lines += [f'    {d.cuda}: ("{d.linux}", "{d.windows}"),' for d in wheels.drivers]
    lines += ["}", "CARD_DRIVERS = {"]
    lines += [
        f'    "{capability}": "{gpu.driver}",'
        for gpu in wheels.generations
        if gpu.driver
        for capability in gpu.capabilities
    ]
    lines += ["}", "LAST_DRIVERS = {"]
    lines += [
        f'    "{capability}": "{gpu.last_driver}",'
        for gpu in wheels.generations
        if gpu.last_driver
        for capability in gpu.capabilities
    ]
    lines += ["}", "BOARDS = {"]
    lines += [f'    "{board.capability}": "{board.since}",' for board in wheels.integrated]
    lines += ["}", "PYTHONS = {"]
    lines += [f'    "{r.torch}": "{" ".join(r.python)}",' for r in wheels.releases]
    lines += ["}", "TORCHAUDIO = {"]
    for release in wheels.releases:
        version = wheels.companion("torchaudio", release.torch).version
        lines.append(f'    "{release.torch}": "{version}",')
    lines += ["}", "BUILDS = ("]
    order = [release.torch for release in wheels.releases]
    known = [b for b in wheels.builds if b.published and (b.x86_64 or b.aarch64)]
    known.sort(key=lambda b: ([-int(n) for n in b.cuda.split(".")], order.index(b.torch)))
    for (cuda, x86_64, aarch64), group in groupby(known, lambda b: (b.cuda, b.x86_64, b.aarch64)):
        words = (cuda, " ".join(map(_name, group)), " ".join(x86_64), " ".join(aarch64))
        parts = [f'"{word}"' for word in words]
        row = f"    ({', '.join(parts)}),"
        wide = len(row) > MAX_COLUMNS  # then black gives each part a line
        lines += ["    (", *(f"        {part}," for part in parts), "    ),"] if wide else [row]
    return BEGIN + "\n".join([*lines, ")"]) + END


def replaced(text: str, wheels: Wheels) -> str:
    """The doctor's text with the data as they are now."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the doctor has no {BEGIN!r} … {END!r}")
    return before + carried(wheels) + after


def diagnoses(project: Project) -> dict[str, dict[str, str]]:
    """What the doctor says of each of its codes, by language; {} where a project has no doctor."""
    path = project.snippets / "check/doctor.py"
    if not path.is_file():
        return {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TEXTS":
            texts = ast.literal_eval(node.value)
            return {
                code: dict(zip(project.languages, said, strict=False))
                for code, said in texts.items()
            }
    return {}


def _name(build: Build) -> str:
    """The release, with "?" where nobody saw that the index has it."""
    return build.torch + ("?" if "published" in build.unchecked else "")

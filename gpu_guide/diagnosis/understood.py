"""What of a text was understood, where nothing in it decides the cause, and what to paste next.

theme/assets/diagnose.js says the same.
"""

from __future__ import annotations

import re

from gpu_guide.diagnosis.facts import WIDEST, Reading

FRAME = r'File "([^"]{1,300})", line ([0-9]{1,7}), in ([^ ]{1,80})'
_FOLDERS = r"(?:site|dist)-packages|[/\\]lib(?:64)?[/\\]python[0-9.]*[/\\]|[/\\]Lib[/\\]"
OTHERS = _FOLDERS + r"|^<frozen|runpy\.py"
"""The paths of code that is not the reader's own."""
SOURCES = (
    ("torch", ("env.pytorch version", "torch.build", "pip.torch", "conda.pytorch")),
    ("cuda", ("torch.cuda", "env.cuda used to build pytorch")),
    ("available", ("env.is cuda available", "torch.available")),
    ("driver", ("smi.driver", "env.nvidia driver version", "q.driver version")),
    ("gpu", ("gpu.name",)),
    ("system", ("env.os", "env.python platform", "where")),
)
"""What is told, and the facts that say it, the surest first."""
SAID = {
    "driver": r"\bdriver(?: version)?(?: is)?[ :=]{1,3}v?([0-9]{3}\.[0-9]{2,3}(?:\.[0-9]{2})?)\b",
    "gpu": r"\b((?:NVIDIA |GeForce )*[RG]TX ?[0-9]{3,4}(?: ?Ti| ?SUPER| ?D)?(?: Laptop)?)\b",
}
"""The same as people write it in a sentence, in any case, where no table or report says it."""
PASTES = (
    ("python -m torch.utils.collect_env", ("torch", "available")),
    ("nvidia-smi", ("driver",)),
)
"""Commands whose output says more, and what makes each needless."""


def understood(reading: Reading) -> list[tuple[str, str]]:
    """What was read, as pairs of what it is and its value."""
    found = []
    for name, facts in SOURCES:
        if value := reading.first(*facts):
            found.append((name, value[0][:80]))
        elif said := _said(name, reading):
            found.append((name, said))
    frames = [at for line in reading.lines if (at := re.search(FRAME, line[:WIDEST]))]
    own = [at for at in frames if not re.search(OTHERS, at[1])]
    if own:
        path, number, function = own[-1].groups()
        found.append(("frame", f"{path}:{number} {function}"))
    if raised := reading.facts.get("raised"):
        found.append(("raised", raised[-1][0][:200]))
    return found


def _said(name: str, reading: Reading) -> str | None:
    if name not in SAID:
        return None
    for line in reading.lines:
        if at := re.search(SAID[name], line[:WIDEST], re.IGNORECASE):
            return at[1]
    return None


def to_paste(reading: Reading) -> list[str]:
    """The commands of which nothing is in the text."""
    known = {name for name, _ in understood(reading)}
    return [command for command, names in PASTES if not known.issuperset(names)]

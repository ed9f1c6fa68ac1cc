"""Measures what data/fit_peaks.yml holds, and writes it there: `bytes` of each line.

    .venv/bin/python -m gpu_guide stand-in --no-values -- python tests/stand_in/fit_peaks.py

Each setting runs in a process of its own, on a stand-in with more memory than any card has.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

CARD = {"name": "test card", "memory_mib": 400 * 1024, "capability": "9.0", "multiprocessors": 132}


def said_by(code: str, *arguments: str) -> str:
    """What a Python on that stand-in prints last when it runs the code."""
    from gpu_guide.project import HERE
    from gpu_guide.stand_in.environments import find
    from gpu_guide.stand_in.machine import StandIn
    from gpu_guide.stand_in.process import variables

    environment = find(version("torch").partition("+")[0])
    assert environment is not None
    around = variables(environment, StandIn(card="test", **CARD))
    around["PYTHONPATH"] = f"{HERE.root}:{HERE.tests / 'support'}:{Path(__file__).parent}"
    code += "\nfrom exit_early import AT_ONCE; exec(AT_ONCE)"
    command = [str(environment.python), "-c", code, *arguments]
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    # -9: the system ran out of memory. The largest steps take more than 20 GiB of it.
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
    return done.stdout.splitlines()[-1]


def measured(which: Iterable[int]) -> list[int]:
    """The peaks of these lines of data/fit_peaks.yml, in bytes."""
    code = "import sys, fit_peaks; fit_peaks.measure(map(int, sys.argv[1:]))"
    return json.loads(said_by(code, *map(str, which)))


def measure(which: Iterable[int]) -> None:
    """Print the peaks of these lines, on the GPU of this process."""
    from fit_network import peak

    from gpu_guide.data.models import load_peaks
    from gpu_guide.project import HERE

    peaks = load_peaks(HERE)
    print(json.dumps([peak(peaks[one].named.model, peaks[one].setting) for one in which]))


def main() -> None:
    from gpu_guide.data.models import load_peaks
    from gpu_guide.fit.terms import fullest
    from gpu_guide.project import HERE

    text = HERE.fit_peaks.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    for number, (line, one) in enumerate(zip(lines, load_peaks(HERE), strict=True)):
        (size,) = measured([number])
        bare = re.sub(r", bytes: \d+", "", line)
        text = text.replace(line, f"{bare[:-1]}, bytes: {size}}}")
        said = sum(fullest(one.named.model, one.setting)[1].values())
        print(one.named.id, f"{size / 2**30:.2f} GiB {said / size - 1:+.1%}", dict(one.given))
    HERE.fit_peaks.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    main()

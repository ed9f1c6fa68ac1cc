"""`gpu-guide doctor`: the guide's doctor.py, run by the Python that should see the GPU."""

from __future__ import annotations

import argparse
import subprocess
import sys

from gpu_guide.dry_run.words import Words
from gpu_guide.project import HERE
from gpu_guide.tool.readers_python import readers_python
from gpu_guide.tool.words import why_of


def run(options: argparse.Namespace, say: Words) -> int:
    """The doctor's own exit status: 0 all is well, 1 a cause was found, 2 it is not known."""
    python = readers_python(options.python)
    doctor = HERE.snippets / "check" / "doctor.py"
    command = [python, str(doctor), "--lang", say.language]
    command += ["--json"] if options.json else []
    try:
        return subprocess.run(command, check=False).returncode
    except OSError as error:
        print(say("no_python", python=python, why=why_of(error, say.language)), file=sys.stderr)
        return options.not_done

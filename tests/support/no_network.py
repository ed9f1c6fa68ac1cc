"""A Python without a network, which notes who asks for one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gpu_guide import ROOT

CALL = ["-c", "import sys; from gpu_guide.tool.main import main; sys.exit(main(sys.argv[1:]))"]
REFUSING = """
import os, socket

class Refused(socket.socket):
    def __init__(self, family=-1, *rest, **more):
        if family != socket.AF_UNIX:
            with open(os.environ["SENT"], "a") as out:
                out.write("a socket\\n")
            raise OSError("no network here")
        super().__init__(family, *rest, **more)

def refuse(*given, **more):
    with open(os.environ["SENT"], "a") as out:
        out.write(f"a name: {given}\\n")
    raise OSError("no network here")

socket.socket, socket.getaddrinfo = Refused, refuse
"""
"""A sitecustomize.py: every Python that finds it has no network, and notes who asked for one."""


def ran(folder: Path, *command: str) -> tuple[str, str]:
    """What a program prints, and who asked for a network."""
    sent = folder / "sent.txt"
    given = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "SENT": str(sent), "LC_ALL": "C"}
    given |= {"PYTHONUTF8": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | given,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout, sent.read_text(encoding="utf-8") if sent.exists() else ""

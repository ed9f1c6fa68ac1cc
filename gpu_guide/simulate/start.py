"""Runs a program on simulated devices: `python start.py 2 train.py`, or `… 2 -m pytest`.

A reader's own Python runs this file by its path. It finds the package `gpu_guide` by its place, and
not by a folder in `sys.path`, in which that Python would find other packages than its own.
"""

from __future__ import annotations

import runpy
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> None:
    """Run the program in this process, with so many devices."""
    count, *rest = arguments
    spec = spec_from_file_location(
        _PACKAGE.name, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    package = sys.modules[_PACKAGE.name] = module_from_spec(spec)
    spec.loader.exec_module(package)
    from gpu_guide.simulate import SimulatedCuda

    with SimulatedCuda(int(count)):
        if rest[0] == "-m":
            sys.argv = rest[1:]
            sys.path[0] = ""
            runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = rest
            sys.path[0] = str(Path(rest[0]).resolve().parent)
            runpy.run_path(rest[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])

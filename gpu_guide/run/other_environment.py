"""The program in an environment of its own: runs one job there, for run/with_libraries.py.

The job comes on stdin, and what came of it is the last line of stdout.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from gpu_guide.run.runner import Tier, run_source


def main() -> None:
    """Run the job that stdin holds."""
    job = json.load(sys.stdin)
    job |= {"path": Path(job["path"]), "tier": Tier(job["tier"])}
    job |= {key: frozenset(job[key]) for key in ("exits", "leaves")}
    print(json.dumps(asdict(run_source(**job))))


if __name__ == "__main__":
    main()

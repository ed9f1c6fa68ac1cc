"""`python -m gpu_guide.campaign PART …`: run one part; see `gpu_guide.campaign.parts`."""

from __future__ import annotations

import argparse
import functools
import sys
import time
from pathlib import Path

from gpu_guide.campaign.parts import PARTS, Task
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.run.lifetime import end_with_starter


def main() -> int:
    """Command line; the exit status is the part's."""
    parser = argparse.ArgumentParser(prog="python -m gpu_guide.campaign")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    end_with_starter()
    until = time.monotonic() + options.seconds
    say = functools.partial(print, flush=True)
    try:
        return PARTS[options.part].run(Task(HERE, options.out, options.jobs, until, say))
    except GuideError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

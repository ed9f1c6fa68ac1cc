"""The entry point of a run, in the process that is made for it: the one that asks imports no
torch."""

from __future__ import annotations

from gpu_guide.run.job import Job


def begin(job: Job, ranks: int, stdout: str, stderr: str) -> None:
    """Entry point in the new process: run the job there, or on so many ranks below it."""
    if ranks:
        from gpu_guide.run.torchrun import run as launch

        launch(job, ranks, stdout, stderr)
    else:
        from gpu_guide.run.child import run

        run(job, stdout, stderr)

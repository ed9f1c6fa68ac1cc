"""A fence `dry-run` with the id of a sample becomes what that dry run said, and its command."""

from __future__ import annotations

from gpu_guide.dry_run.samples import load_samples, recorded
from gpu_guide.project import Project
from gpu_guide.render.words import Words


class DryRunReport:
    """`DryRunReport(project, say)("transformer")`. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, id: str) -> str:
        said = recorded(id.strip(), self.project)
        sample = load_samples(self.project)[id.strip()]
        options = f"--card {sample.card}" + (" --try" if sample.tries else "")
        command = f"python -m gpu_guide dry-run {options} -- {' '.join(sample.command)}"
        return f"```console\n$ {command}\n{said.report[self.say.language]}\n```"

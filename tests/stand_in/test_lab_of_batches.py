"""The lab of the largest batch: the dry run says of its script what the lab's text says."""

from __future__ import annotations

import re
from pathlib import Path

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.run import Settings, run
from gpu_guide.labs.source import load_labs
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn

SAID = {
    "en": r"a batch of (\d+) fits on the T4, and (\d+) doesn't",
    "zh": r"T4 上放得下 (\d+)，放不下 (\d+)",
}


def test_the_batches_that_the_text_names_fit_and_do_not(
    environment: CudaEnvironment, tmp_path: Path
) -> None:
    (script,) = [cell for cell in load_labs(HERE)["largest-batch"].cells if cell.id == "script"]
    (tmp_path / "train.py").write_text(script.code.partition("\n")[2], encoding="utf-8")
    machine = StandIn.of(chosen("t4", HERE))
    found = set()
    for language, words in SAID.items():
        page = HERE.lab_pages(language) / "largest-batch.md"
        found.add(re.search(words, page.read_text(encoding="utf-8")).groups())
    ((fits, does_not),) = found
    for batch, expected in ((fits, False), (does_not, True)):
        command = ["python", "train.py", "--batch", batch]
        outcome = run(environment, machine, command, Settings(folder=tmp_path))
        assert outcome.out_of_memory is expected, batch
        assert outcome.devices, batch

"""Scripts that others published run dry as they are, with the peaks that the record says."""

from __future__ import annotations

import pytest

from gpu_guide.dry_run.public import (
    Script,
    dry,
    load_ran,
    load_scripts,
    missing,
)
from gpu_guide.project import HERE
from gpu_guide.repositories import MIRRORS, found
from gpu_guide.stand_in.environments import CudaEnvironment


@pytest.mark.parametrize("script", load_scripts(HERE).values(), ids=lambda script: script.id)
def test_a_public_script_runs_dry_as_it_did(script: Script, environment: CudaEnvironment) -> None:
    source, lacks = found(script.repository, script.commit), missing(script, environment)
    if not source:
        reason = f"no checkout: name a folder of repositories in {MIRRORS}, or `dry-run --public`"
    else:
        reason = f"not installed: {' '.join(lacks)}" if lacks else ""
    if reason:
        pytest.skip(reason)
    ran, recorded = dry(script, HERE, environment, source), load_ran(HERE)[script.id]
    assert ran.steps == recorded.steps
    # Random data decides a little: lengths of texts, sizes of images, whether workers end in time.
    assert ran.allocated == pytest.approx(recorded.allocated, rel=0.03)
    assert ran.reserved == pytest.approx(recorded.reserved, rel=0.05)

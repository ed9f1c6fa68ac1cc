"""Builds of a guide where the test runs."""

from __future__ import annotations

import contextlib
import warnings
from concurrent.futures import Future
from typing import Any

import pytest

from gpu_guide.site.build import Workers
from gpu_guide.site.mkdocs import Report, build_language


class InThisProcess(Workers):
    """Builds where the test runs, which has imported MkDocs: new processes, which `make build` and
    the server use, would be two seconds slower. Afterwards folder, environment and warnings are as
    they were."""

    def submit(self, *job: Any) -> Future[Report]:
        done: Future[Report] = Future()
        with (
            contextlib.chdir("."),
            warnings.catch_warnings(),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv("NO_MKDOCS_2_WARNING", "1")
            done.set_result(build_language(*job))
        return done

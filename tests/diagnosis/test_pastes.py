"""The diagnosis, measured on real pastes with checked labels.

They belong to their authors, so they are no part of the project: where the file does not lie beside
it, there is nothing to measure. The rules were written with one half of them in sight.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest

from gpu_guide import ROOT
from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.errors import load_errors
from gpu_guide.diagnosis.engine import diagnose
from gpu_guide.project import HERE

PASTES = ROOT.parent / "shared/pastes.jsonl"
NOTHING = ("not-gpu", "unknown")
"""Labels of texts of which nothing is to be said."""
RIGHT = {
    "build-cuda-mismatch": {"cuda-toolkit-mismatch", "nvcc-architecture"},
    "cublas-error": {"cublas-invalid-value", "cublas-execution-failed", "cublas-not-supported"},
    "cuda-init-error": {"cuda-cannot-start", "cuda-unknown-error", "device-count-out-of-memory"},
    "cuda-lib-mismatch": {
        "library-not-loaded",
        "nccl-of-other-version",
        "extension-for-other-torch",
        "cudnn-sublibrary",
    },
    "device-mismatch": {"different-devices", "one-process-several-gpus"},
    "fork-cuda": {"fork-cuda"},
    "gpu-hardware-fault": {"gpu-lost", "uncorrected-memory-error", "nvlink-error"},
    "gpu-not-visible": {"no-device", "hidden-devices"},
    "healthy": {"healthy-driver", "healthy-environment"},
    "illegal-memory-access": {"illegal-memory-access"},
    "invalid-ordinal": {"too-few-gpus"},
    "macos-no-cuda": {"mac-without-cuda"},
    # Of a CUDA build on a machine without a GPU, `collect_env` shows the same as without a driver.
    "no-nvidia-gpu": {"other-backend", "no-driver"},
    # These labels do not tell why there was too little memory.
    "oom": {
        "out-of-memory",
        "out-of-memory-mac",
        "memory-of-others",
        "memory-in-pieces",
        "vllm-kv-cache",
    },
    "oom-host": {"out-of-host-memory", "paging-file-too-small"},
    "shm-too-small": {"shared-memory-too-small"},
    "wheel-lacks-arch": {"no-code-for-gpu", "no-code-for-amd-gpu"},
}
"""By label, the causes that mean it; a label that is not here is a cause of the same name."""


@pytest.mark.parametrize(("half", "least"), [("seen", 1.0), ("held out", 0.9)])
def test_real_pastes_get_their_cause(half: str, least: float) -> None:
    if not PASTES.is_file():
        pytest.skip(f"{PASTES} is not there")
    known, messages = load_diagnosis(HERE), load_errors(HERE)
    counts: Counter[str] = Counter()
    for line in PASTES.read_text("utf-8").splitlines():
        paste = json.loads(line)
        odd = int(hashlib.sha256(paste["id"].encode()).hexdigest(), 16) % 2
        if ("seen", "held out")[odd] != half:
            continue
        label, verdict = paste["diagnosis"], diagnose(paste["text"], known, messages)
        if not verdict.main:
            judged = "rightly silent" if label in NOTHING else "abstained"
        else:
            judged = "right" if verdict.main.id in RIGHT.get(label, {label}) else "wrong"
            if judged == "wrong":
                print(f"{paste['id']}: {label}, not {verdict.main.id}")
        if verdict.kind == "fault" and label in ("healthy", "not-gpu"):
            counts["fault that is none"] += 1
        counts[judged] += 1
    share = counts["right"] / (counts["right"] + counts["wrong"])
    print(f"{half}: {dict(counts)}, {share:.1%} of answers right")
    assert share >= least
    assert counts["abstained"] <= sum(counts.values()) / 10
    assert not counts["fault that is none"]

"""Snapshots that PyTorch itself writes: the viewer knows their opcodes, and its numbers are those
of PyTorch's own counters. The page itself reads such a file in tests/browser/test_snapshot_page.py:
`WRITTEN` below is where it lies, and this module writes it anew if it is run on a stand-in GPU:

    make stand-in ARGS="-- python tests/stand_in/test_snapshot_files.py"
"""

from __future__ import annotations

import base64
import json
import pickle
import tempfile
from pathlib import Path

import pytest
from stand_in_calls import Run

from gpu_guide.tool import snapshot_counts

WRITTEN = Path(__file__).parents[1] / "data/snapshot_by_pytorch.b64"
PROGRAM = """
import json, sys, torch
memory = torch.cuda.memory
memory._record_memory_history(max_entries=1000, stacks={stacks!r})
memory._set_memory_metadata("warm-up")
def keep(mib):
    return torch.empty(mib << 20, dtype=torch.uint8, device="cuda")
kept = [keep(3), keep(30), keep(1)]
with torch.cuda.stream(torch.cuda.Stream()):
    other = keep(5)
del kept[0]
kept.append(torch.empty(300, device="cuda:1"))
try:
    keep(1 << 20)
except torch.OutOfMemoryError:
    pass
memory._dump_snapshot({file!r})
print(json.dumps([[memory.memory_allocated(n), memory.memory_reserved(n)] for n in range(2)]))
"""


@pytest.mark.parametrize("stacks", ["python", "all"])
def test_pytorchs_own_files_are_read(run_on: Run, tmp_path: Path, stacks: str) -> None:
    file = tmp_path / "snapshot.pickle"
    done = run_on(PROGRAM.format(stacks=stacks, file=str(file)), count=2)
    assert done.returncode == 0, done.stderr
    data = file.read_bytes()
    assert snapshot_counts.refused(data) is None
    snapshot = pickle.loads(data)
    seen = snapshot_counts.summary(snapshot, "line", None)
    shown = [[one["allocated"], one["reserved"]] for one in seen["devices"]]
    assert shown == json.loads(done.stdout)
    assert [one["size"] for one in seen["failures"]["rows"]] == [2**40]
    assert {row["label"] for row in seen["metadata"]} == {"warm-up"}
    timeline = seen["timeline"]
    assert (timeline["start"], timeline["peak"]) == (0, 39 * 2**20)
    assert any(row["label"].startswith("keep (<string>:") for row in seen["places"]["rows"])


if __name__ == "__main__":
    target = Path(tempfile.mkdtemp()) / "snapshot.pickle"
    exec(PROGRAM.format(stacks="python", file=str(target)))
    WRITTEN.write_bytes(base64.encodebytes(target.read_bytes()))

"""Write a snapshot when memory runs out: its trace ends in "oom".

显存不足时写下快照：记录里最后有一条 "oom"。
"""
# needs: cuda
# simulated: no

import pickle
import tempfile
from pathlib import Path

import torch

memory = torch.cuda.memory
total = torch.cuda.mem_get_info()[1]
# zh: 设了上限，Windows 和 WSL2 的驱动就没有机会借用内存。
# en: With a limit, the driver of Windows and WSL2 cannot lend host memory.
torch.cuda.set_per_process_memory_fraction(0.9)
memory._record_memory_history(max_entries=1000, stacks="python")

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "oom.pickle")
    try:
        torch.empty(2 * total, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        memory._dump_snapshot(str(file))
    memory._record_memory_history(enabled=None)
    snapshot = pickle.loads(file.read_bytes())

trace = snapshot["device_traces"][torch.cuda.current_device()]
(failed,) = [entry for entry in trace if entry["action"] == "oom"]
print("asked for twice what the GPU has:", failed["size"] == 2 * total)
assert failed["size"] == 2 * total

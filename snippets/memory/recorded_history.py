"""The history tells what the allocator did, step by step.

历史记录逐步写着分配器做了什么。
"""
# needs: cuda
# simulated: no

import torch

memory = torch.cuda.memory
memory._record_memory_history(max_entries=1000, stacks="python")

x = torch.empty(30 * 2**20, dtype=torch.uint8, device="cuda")
del x
torch.cuda.empty_cache()

snapshot = memory._snapshot()
memory._record_memory_history(enabled=None)

trace = snapshot["device_traces"][torch.cuda.current_device()]
actions = [entry["action"] for entry in trace]
print(actions[:2])
print(actions[2:4])
print(actions[4:5])
assert actions[:2] == ["segment_alloc", "alloc"]
assert actions[2:4] == ["free_requested", "free_completed"]
assert actions[4:5] == ["segment_free"]

"""Record two steps of a training as a trace that a browser can show.

把训练中的两步记录成时间线，用浏览器打开看。
"""

import json
import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
activities = [ProfilerActivity.CPU]
if device.type == "cuda":
    activities.append(ProfilerActivity.CUDA)

model = torch.nn.Linear(64, 64).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

with tempfile.TemporaryDirectory() as folder:
    trace = Path(folder) / "trace.json"
    with profile(
        activities=activities,
        schedule=schedule(wait=2, warmup=1, active=2, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(str(trace)),
    ) as p:
        for _ in range(8):
            model(torch.rand(16, 64, device=device)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            p.step()
    events = json.loads(trace.read_text())["traceEvents"]

names = {event["name"] for event in events}
print(sorted(name for name in names if name.startswith("ProfilerStep")))
#> ['ProfilerStep#3', 'ProfilerStep#4']
print("forward:", "aten::linear" in names)
#> forward: True
print("update:", any("Optimizer.step" in name for name in names))
#> update: True

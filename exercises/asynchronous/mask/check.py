import ast
import math

import torch
from torch import nn


def check(ran):
    average = ran["average"]
    loop = next(node for node in ast.walk(ran.tree) if isinstance(node, ast.For))
    waits = [event for event in ran.of("wait") if loop.lineno <= event.line <= loop.end_lineno]
    if waits:
        source = waits[0].source.replace("getitem", "[…]")  # as it is written
        values = {"count": len(waits), "line": waits[0].line, "source": source}
        if waits[0].source in ("to", "item", "bool"):
            return "reads", values
        return "size_unknown", values
    device = ran["model"].weight.device
    if device.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    right = _average(device)
    if not math.isfinite(average):
        return "not_finite", {"average": average}
    if abs(average - right) > 0.001:
        return "other_average", {"average": f"{average:.3f}", "right": f"{right:.3f}"}
    return None


def _average(device):
    torch.manual_seed(0)
    model = nn.Linear(8, 1).to(device)
    total = 0.0
    with torch.no_grad():
        for _ in range(50):
            x = torch.randn(32, 8, device=device)
            price = torch.randint(5, (32, 1), device=device)
            error = ((model(x) - price).abs() / price)[price > 0]
            total += error.mean().item()
    return total / 50

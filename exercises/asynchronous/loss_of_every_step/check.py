import ast

import torch


def check(ran):
    loop = next(node for node in ran.tree.body if isinstance(node, ast.For))
    waits = [event for event in ran.of("wait") if loop.lineno <= event.line <= loop.end_lineno]
    if len(waits) > 10:
        lines = sorted({event.line for event in waits})
        if len(lines) == 1:
            return "waits_in_one", {"count": len(waits), "line": lines[0]}
        return "waits", {"count": len(waits), "lines": ", ".join(map(str, lines))}
    if "explodes" not in ran.path.read_text(encoding="utf-8") or not waits:
        return "unguarded"
    if len(waits) < 5:
        return "too_rare", {"count": len(waits)}
    kept = [name for name, value in ran.names.items() if name != "loss" and _has_past(value)]
    if kept:
        return "graph", {"name": kept[0], "line": ran.line(kept[0])}
    if not isinstance(ran["average"], float):
        return "tensor", {"line": ran.line("average")}
    if not 0.1 < ran["average"] < 1:
        return "other_average", {"average": f"{ran['average']:.3f}"}
    return None


def _has_past(value):
    every = value if isinstance(value, list) else [value]
    return any(isinstance(one, torch.Tensor) and one.grad_fn for one in every)

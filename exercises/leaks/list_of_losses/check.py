import ast

import torch

PARAMETERS = 4 * (64 * 256 + 256 + 256 + 1)
BATCHES = 2**21
"""Bytes: more than two batches and their graphs, less than twenty."""


def check(ran):
    losses = ran["losses"]
    if len(losses) != 20:
        return "not_all", {"count": len(losses)}
    loop = next(node for node in ast.walk(ran.tree) if isinstance(node, (ast.For, ast.ListComp)))
    if waits := [event for event in ran.of("wait") if event.line <= loop.end_lineno]:
        return "waits", {"line": waits[0].line, "count": len(waits)}
    if any(isinstance(loss, torch.Tensor) and loss.requires_grad for loss in losses):
        return "graphs", {"held": ran.held // 1024, "model": PARAMETERS // 1024}
    if ran.peak > BATCHES:
        return "too_late", {"peak": ran.peak // 1024, "line": ran.line("losses")}
    if any(parameter.grad is not None for parameter in ran["model"].parameters()):
        return "backward"
    return None

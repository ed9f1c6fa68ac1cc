import ast

import torch

MIB = 2**20


def check(ran):
    error, model, x = ran.error, ran["model"], ran["x"]
    lines = ran.calls("checkpoint") + ran.calls("checkpoint_sequential")
    if error and "does not require grad" in error.text:
        alone = [node.lineno for node in ast.walk(ran.tree) if isinstance(node, ast.Expr)]
        if dropped := sorted(set(alone) & set(lines)):
            return "not_assigned", {"line": error.line, "call": dropped[0]}
        if len(lines) > sum(map(_not_reentrant, ast.walk(ran.tree))):
            return "no_graph", {"line": error.line}
    if error:
        return None
    if x.shape != (8192, 64):
        return "fewer", {"count": len(x)}
    if x.dtype != torch.float32:
        return "other_type", {"dtype": x.dtype}
    layers = [block[0] for block in model.blocks]
    if missing := [number for number, layer in enumerate(layers) if layer.weight.grad is None]:
        return "untrained", {"count": len(missing), "all": len(layers)}
    if ran.peak > 34 * MIB:
        if not lines:
            return "without", {"peak": ran.peak // MIB}
        return "one_block", {"peak": ran.peak // MIB, "line": lines[-1]}
    return None


def _not_reentrant(node):
    """Whether it says `use_reentrant=False`."""
    named = isinstance(node, ast.keyword) and node.arg == "use_reentrant"
    return named and not getattr(node.value, "value", True)

import ast

import torch


def check(ran):
    means = ran["means"]
    loop = next(node for node in ran.tree.body if isinstance(node, ast.For))
    if len(means) != 20 or not all(isinstance(mean, float) for mean in means):
        return "not_all", {"count": len(means)}
    if waits := [event for event in ran.of("wait") if event.line <= loop.end_lineno]:
        return "waits", {"count": len(waits), "line": waits[0].line}
    lists = [value for value in ran.names.values() if isinstance(value, list)]
    kept = [one for values in lists for one in values if isinstance(one, torch.Tensor)]
    if large := [one for one in kept if one.untyped_storage().nbytes() > 2**16]:
        return "kept", {"held": ran.held // 2**20, "count": len(large)}
    if graphs := [one for one in kept if one.requires_grad]:
        return "graphs", {"count": len(graphs), "node": type(graphs[0].grad_fn).__name__}
    if not all(0.1 < mean < 0.5 for mean in means):
        return "other_values", {"first": f"{means[0]:.3f}"}
    return None

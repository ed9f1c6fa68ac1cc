MIB = 2**20


def check(ran):
    error, model, x = ran.error, ran["model"], ran["x"]
    if error and "does not require grad" in error.text:
        return "no_graph", {"line": error.line}
    if error:
        return None
    if x.shape != (8192, 64):
        return "fewer", {"count": len(x)}
    layers = [block[0] for block in model.blocks]
    if missing := [number for number, layer in enumerate(layers) if layer.weight.grad is None]:
        return "untrained", {"count": len(missing), "all": len(layers)}
    if ran.peak > 34 * MIB:
        lines = ran.calls("checkpoint") + ran.calls("checkpoint_sequential")
        if not lines:
            return "without", {"peak": ran.peak // MIB}
        return "one_block", {"peak": ran.peak // MIB, "line": lines[-1]}
    return None

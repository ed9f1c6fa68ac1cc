import ast


def check(ran):
    if ran.error and ran.error.kind == "SystemExit":
        return "gives_up", {"line": ran.error.line, "text": ran.error.text}
    if ran.error and not ran.gpus:
        if line := uncalled(ran.tree):
            return "uncalled", {"line": line}
        if "CUDA" in ran.error.text or "NVIDIA" in ran.error.text:
            return "needs_gpu", vars(ran.error)
        return None
    weight, x = next(ran["model"].parameters()).device, ran["x"].device
    if ran.gpus and weight.type == x.type == "cpu":
        return "never_gpu", {"gpus": ran.gpus}
    if weight != x:
        return "apart", {"weight": weight, "x": x}
    if ran["y"].device != weight:
        return "came_back", {"line": ran.line("y")}
    return None


def uncalled(tree):
    """The line that names the function `is_available` and does not call it, 0 if there is none."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if getattr(node, "attr", "") == "is_available" and id(node) not in called:
            return node.lineno
    return 0

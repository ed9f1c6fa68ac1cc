import ast

import torch


def check(ran):
    if ran.error and "same device" not in ran.error.text:
        return None
    model = ran["model"]
    forward = next(node for node in ast.walk(ran.tree) if getattr(node, "name", "") == "forward")
    for copy in ran.of("copy"):
        if forward.lineno <= copy.line <= forward.end_lineno:
            return "copied", {"line": copy.line, "source": copy.source, "target": copy.target}
    if ran.error:
        return "left", {"line": ran.error.line, "scale": model.scale.device}
    trained = [name for name, value in model.named_parameters() if value.requires_grad]
    if "scale" in trained:
        return "trained", {"count": len(trained)}
    model.to("cuda:1")
    x = torch.ones(1, 4, device="cuda:1")
    try:
        ratio = (model(x) / model.layer(x)).round().tolist()
    except RuntimeError:
        return "fixed", {"layer": model.layer.weight.device}
    if ratio != [[1, 2, 4, 8]]:
        return "other_scale", {"ratio": ratio[0]}
    return None

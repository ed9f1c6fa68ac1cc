import ast

import torch


def check(ran):
    error = ran.error
    if error and "device" in error.text and ran.gpus:
        return "apart", {"line": error.line}
    if error and not ran.gpus and ("CUDA" in error.text or "NVIDIA" in error.text):
        return "needs_gpu", vars(error)
    model, y = ran["model"], ran["y"]
    if not ran.gpus:
        return None
    if y.device.type == "cpu":
        return "on_cpu", {"line": ran.line("y")}
    forward = next(node for node in ast.walk(ran.tree) if getattr(node, "name", "") == "forward")
    for copy in ran.of("copy"):
        if forward.lineno <= copy.line <= forward.end_lineno:
            return "copied", {"line": copy.line, "size": copy.size}
    x = torch.ones(3, 5, 4, device=y.device)
    if not torch.allclose(model.out(model.rnn(x)[1][0]), y):
        return "other_start", {"line": forward.lineno}
    first = model(x)
    if not torch.allclose(first, y):
        return "remembers", {"line": forward.lineno}
    model.to("cuda:1")
    try:
        model(torch.ones(3, 5, 4, device="cuda:1"))
    except RuntimeError:
        return "fixed", {"first": y.device}
    try:
        model(torch.ones(7, 5, 4, device="cuda:1"))
    except RuntimeError as wrong:
        return "other_size", {"text": str(wrong).partition("\n")[0]}
    return None

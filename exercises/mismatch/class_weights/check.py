import ast

import torch
from torch.nn.functional import cross_entropy

WEIGHT_BYTES = 2 * 4


def check(ran):
    error = ran.error
    if error and "same device" in error.text:
        return "apart", {"line": error.line, "model": ran["model"].weight.device}
    if error and not ran.gpus and ("CUDA" in error.text or "NVIDIA" in error.text):
        return "needs_gpu", vars(error)
    model, batches, average = ran["model"], ran["batches"], ran["average"]
    place = model.weight.device
    if ran.gpus and place.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    if (where := getattr(average, "device", place)) != place:
        return "loss_on_cpu", {"average": where, "model": place}
    copies = [copy for copy in ran.of("copy") if copy.size == WEIGHT_BYTES]
    again = [copy for copy in copies if copy.line > ran.line("losses")]
    loops = [node for node in ast.walk(ran.tree) if isinstance(node, ast.For)]
    looped = {line for loop in loops for line in range(loop.lineno, loop.end_lineno + 1)}
    made = [line for line in ran.calls("tensor") if line in looped]
    if len(again) > 1:
        return "again", {"line": again[0].line, "count": len(again)}
    if made:
        return "made_again", {"line": made[0], "count": len(batches)}
    weight = torch.tensor([1.0, 5.0], device=place)
    losses = [cross_entropy(model(x.to(place)), y.to(place), weight) for x, y in batches]
    right = torch.stack(losses).mean().item()
    if abs(float(average) - right) > 1e-4:
        return "other_loss", {"average": f"{float(average):.3f}", "right": f"{right:.3f}"}
    return None

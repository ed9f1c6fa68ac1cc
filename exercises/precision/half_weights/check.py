import torch
from torch import nn


def check(ran):
    if ran.error:
        return None
    weight, prediction, loss = ran["model"][0].weight, ran["prediction"], ran["loss"]
    if (lr := ran["optimizer"].param_groups[0]["lr"]) != 1e-3:
        return "other_lr", {"lr": lr, "dtype": weight.dtype}
    if weight.dtype != torch.float32:
        torch.manual_seed(0)
        first = nn.Linear(16, 64).weight.to(weight.dtype)
        same = int((first == weight).sum())
        return "stuck", {"dtype": weight.dtype, "same": same, "all": weight.numel()}
    if torch.equal(weight, weight.bfloat16().float()):
        return "rounded", {"line": max(ran.calls("float"), default=ran.line("model"))}
    if prediction.dtype != torch.bfloat16:
        return "full", {"line": ran.line("prediction"), "dtype": prediction.dtype}
    if loss.dtype != torch.float32:
        return "low_loss", {"line": ran.line("loss"), "dtype": loss.dtype}
    return None

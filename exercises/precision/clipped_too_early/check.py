import torch
from torch import nn


def check(ran):
    if ran.error:
        return None
    weight, prediction = ran["model"][0].weight.detach(), ran["prediction"]
    if not weight.isfinite().all():
        return "not_finite", {"line": (ran.calls("step") or [0])[-1]}
    state = ran["scaler"].state_dict()
    if state.get("scale", 2**16) == 2**16 and not state.get("_growth_tracker"):
        return "without_scaler", {"line": ran.line("scaler")}
    if prediction.dtype != torch.float16:
        return "full", {"dtype": prediction.dtype, "line": ran.line("prediction")}
    first, right = _trained(0), _trained(20)
    moved, far = float((weight - first).norm()), float((right - first).norm())
    values = {"moved": f"{moved:.5f}", "far": f"{far:.2f}"}
    clips, unscales = ran.calls("clip_grad_norm_"), ran.calls("unscale_")
    if moved < 0.1 * far and clips and unscales and clips[0] < unscales[0]:
        return "unscaled_late", {"clip": clips[0], "unscale": unscales[0]}
    if moved < 0.1 * far:
        return "tiny", values
    if moved > 1.5 * far:
        return "unclipped", values
    if (weight - right).norm() > 0.1 * far:
        return "other_way", values
    return None


def _trained(steps):
    """The first layer after so many steps: how it has to be."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu")
    x = torch.randn(64, 16)
    y = 10 * x.sum(dim=1, keepdim=True)
    for _ in range(steps):
        with torch.autocast("cpu", dtype=torch.float16):
            prediction = model(x)
        optimizer.zero_grad()
        scaler.scale((prediction - y).square().mean()).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return model[0].weight.detach()

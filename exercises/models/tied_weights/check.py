import torch


def check(ran):
    if ran.error:
        return None
    model = ran["model"]
    embed = model.embed.weight
    out = getattr(getattr(model, "out", None), "weight", embed)  # or `embed` does both
    values = {"place": embed.device, "count": len(list(model.parameters()))}
    difference = float((embed - out).abs().max())
    if embed.device.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    if not (embed.requires_grad and out.requires_grad):
        return "frozen", {"name": "embed" if out.requires_grad else "out"}
    if out.grad is None:
        return "unused"
    if not _tied(embed, out):
        if difference == 0:
            return "equal_only"
        return "torn", values | {"difference": f"{difference:.2f}"}
    model.to("cuda:1")
    out = getattr(getattr(model, "out", None), "weight", model.embed.weight)
    if not _tied(model.embed.weight, out):
        return "torn_later", values
    return None


def _tied(embed, out):
    """Whether a change of one weight is seen in the other."""
    with torch.no_grad():
        before = out.detach().clone()
        embed += 1
        return float((out - before).min()) > 0.5

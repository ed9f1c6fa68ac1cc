import torch

PARAMETERS = 4 * (64 * 256 + 256 + 256 + 1)


def check(ran):
    losses = ran["losses"]
    if len(losses) != 20:
        return "not_all", {"count": len(losses)}
    if waits := [event for event in ran.of("wait") if event.line < ran.line("average")]:
        return "waits", {"line": waits[0].line, "count": len(waits)}
    if any(isinstance(loss, torch.Tensor) and loss.requires_grad for loss in losses):
        return "graphs", {"held": ran.held // 1024, "model": PARAMETERS // 1024}
    if any(parameter.grad is not None for parameter in ran["model"].parameters()):
        return "backward"
    return None

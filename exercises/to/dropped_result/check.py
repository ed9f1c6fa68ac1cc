import torch


def check(ran):
    model, x = ran["model"], ran["x"]
    weight = next(model.parameters())
    if weight.device.type == "cpu":
        if x.device.type == "cpu":
            return "nothing_moved", {"line": ran.line("x")}
        return "model_stayed", {"x": x.device}
    if x.device != weight.device and ran.error:
        moved = [event.line for event in ran.of("copy") if event.line in ran.calls("to")]
        return "result_dropped", {"line": max(moved), "weight": weight.device}
    if ran["y"].device != weight.device:
        return "result_came_back", {"line": ran.line("y")}
    if not torch.equal(x.cpu(), torch.ones(3, 4)):
        return "other_values", {"line": ran.line("x")}
    return None

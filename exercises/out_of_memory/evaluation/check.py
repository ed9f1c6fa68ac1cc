MIB = 2**20


def check(ran):
    error, model = ran.error, ran["model"]
    if error and "does not require grad" in error.text:
        if any(parameter.requires_grad for parameter in model.parameters()):
            return "left_off", {"line": error.line}
        return "frozen", {"line": error.line}
    if error:
        return None
    if ran["data"].shape != (4, 2048, 64):
        return "smaller", {"shape": tuple(ran["data"].shape)}
    if ran["data"].device.type == "cpu":
        return "on_cpu", {"line": ran.line("data")}
    if ran.peak > 26 * MIB:
        return "two_graphs", {"peak": ran.peak // MIB}
    if ran.peak > 14 * MIB:
        return "one_graph", {"peak": ran.peak // MIB}
    if not model.training or model[0].weight.grad is None:
        return "untrained"
    if not 40 < ran["before"] < 90:
        return "other_loss", {"loss": f"{ran['before']:.2f}"}
    return None

def check(ran):
    model, optimizer, error = ran["model"], ran["optimizer"], ran.error
    weight = model.weight
    if error and "same device" in error.text and "saved" not in ran.names:
        return "first_run", {"device": weight.device}
    state = optimizer.state.get(weight, {})
    if error and "same device" in error.text and state:
        values = {"weight": weight.device, "state": state["exp_avg"].device}
        return "left", values | {"line": error.line}
    if error:
        return None
    if weight.device.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    if all(parameter is not weight for parameter in optimizer.param_groups[0]["params"]):
        return "stranger", {"line": ran.line("model")}
    if (steps := int(state.get("step", 0))) != 2:
        return "forgotten", {"steps": steps}
    before = ran["saved"]["model"]["weight"].to(weight.device)
    if (weight - before).abs().max() > 0.05:
        return "other_weights"
    return None

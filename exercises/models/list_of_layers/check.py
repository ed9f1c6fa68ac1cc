def check(ran):
    model, error = ran["model"], ran.error
    layers = list(model.hidden)
    known = {id(parameter) for parameter in model.parameters()}
    if error and "same device" in error.text:
        where = sorted({str(layer.weight.device) for layer in layers})
        return "left", {"line": error.line, "where": ", ".join(where)}
    if error:
        return None
    if len({id(layer) for layer in layers}) < 3:
        return "same_layer", {"count": len(known)}
    if ran["loss"].device.type == "cpu":
        return "on_cpu", {"line": ran.line("loss")}
    every = [parameter for layer in layers for parameter in layer.parameters()]
    unknown = [parameter for parameter in every if id(parameter) not in known]
    held = {id(p) for group in ran["optimizer"].param_groups for p in group["params"]}
    if any(id(parameter) not in held for parameter in every):
        return "untrained", {"missing": len(unknown), "line": ran.line("optimizer")}
    if unknown:
        return "unsaved", {"saved": len(model.state_dict()), "all": len(known) + len(unknown)}
    return None

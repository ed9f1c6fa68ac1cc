def check(ran):
    model = next(ran["model"].parameters()).device
    x = ran["x"].device
    values = {"gpus": ran.gpus, "model": model, "x": x}
    if ran.gpus and model.type == x.type == "cpu":
        return "idle", values
    if model != x:
        return "apart", values
    if model.index:
        return "second", values
    for copy in ran.of("copy"):
        if copy.source == "cuda:1":
            return "detour", {"line": copy.line, "target": copy.target}
    return None

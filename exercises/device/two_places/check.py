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
    asked = sorted({*ran.calls("is_available"), *ran.calls("device_count")})
    if len(asked) > 1 and ran.gpus == 2:  # as the last thing of all
        return "two_lines", {"first": asked[0], "second": asked[1]}
    return None

PART = 64 * 64 * 4


def check(ran):
    error = ran.error
    if error and error.text.startswith("indices should be"):
        return "index", {"line": error.line, "errors": ran["errors"].device}
    model, data, x = ran["model"], ran["data"], ran["x"]
    place = model.weight.device
    if place.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    for copy in ran.of("copy"):
        if copy.size > PART:
            return "all_moved", {"line": copy.line, "size": copy.size // 1024}
    if x.device != place:
        return "left", {"line": ran.line("x"), "x": x.device, "model": place}
    errors = model(data.to(place)).abs().flatten()
    chosen = {tuple(row) for row in x.reshape(-1, 64).tolist()}
    hits = sum(tuple(data[i].tolist()) in chosen for i in errors.topk(8).indices.tolist())
    if hits < 8 or len(chosen) != 8:
        return "others", {"hits": hits, "rows": len(chosen)}
    return None

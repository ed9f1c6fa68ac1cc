def check(ran):
    error = ran.error
    if error and "same device" in error.text:
        features, target, model = ran["features"], ran["target"], ran["model"]
        if features.device != target.device:
            return "apart", {"line": error.line}
        if features.device.type == "cpu" and (lost := [c for c in ran.of("copy") if c.size > 999]):
            return "dropped", {"copied": lost[0].line, "line": error.line}
        if features.device.type == "cpu":
            return "not_moved", {"line": error.line, "model": model.weight.device}
        return None
    if error and "worker process" in error.text:
        return "in_workers", {"line": next(iter(ran.calls("to")))}
    model, seen, features = ran["model"], ran["seen"], ran["features"]
    copies = [copy for copy in ran.of("copy") if copy.line != ran.line("model")]
    if len(copies) > 20:
        lines = sorted({copy.line for copy in copies})
        values = {"count": len(copies), "line": lines[0], "size": copies[0].size}
        return "one_by_one", values
    if seen != 250:
        return "lost", {"seen": seen}
    if model.weight.device.type == "cpu":
        return "on_cpu", {"line": ran.line("features")}
    if len(features) > 64:
        return "large_batch", {"rows": len(features)}
    return None

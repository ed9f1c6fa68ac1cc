def check(ran):
    error = ran.error
    if error and "to numpy" in error.text:
        return "on_gpu", {"line": error.line, "device": ran["model"].weight.device}
    if error and "requires grad" in error.text:
        return "grad", {"line": error.line}
    values = ran["values"]
    if type(values).__name__ != "ndarray":
        return "no_array", {"line": ran.line("values"), "type": type(values).__name__}
    if ran["model"].weight.device.type == "cpu":
        return "model_left", {"line": ran.line("model")}
    if len(values) != 40:
        return "other_count", {"count": len(values)}
    copies = [copy for copy in ran.of("copy") if copy.target == "cpu"]
    if len(copies) > 1:
        return "copies", {"count": len(copies), "line": copies[0].line}
    return None

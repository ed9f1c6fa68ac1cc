def check(ran):
    error = ran.error
    if error and "same device" in error.text:
        values = {"x": ran["x"].device, "labels": ran["labels"].device}
        return "apart", values | {"line": error.line}
    if error and not ran.gpus and ("CUDA" in error.text or "NVIDIA" in error.text):
        return "needs_gpu", vars(error)
    model, accuracy = ran["model"], ran["accuracy"]
    place = model.weight.device
    if ran.gpus and place.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    back = [copy for copy in ran.of("copy") if copy.target == "cpu" and copy.size > 8]
    if back:
        return "back", {"line": back[0].line, "count": len(back)}
    found = model(ran["data"].to(place)).argmax(dim=1) == ran["classes"].to(place)
    right = found.float().mean().item()
    if abs(accuracy - right) > 1e-4:
        return "other_accuracy", {"accuracy": f"{accuracy:.3f}", "right": f"{right:.3f}"}
    return None

from collections import Counter


def check(ran):
    if ran.error and "same device" in ran.error.text:
        return "apart", {"line": ran.error.line}
    model, data, average = ran["model"], ran["data"], ran["average"]
    place = model.weight.device
    if place.type == "cpu":
        return "on_cpu", {"line": ran.line("model")}
    copies = [copy for copy in ran.of("copy") if copy.line != ran.line("model")]
    large = [copy.line for copy in copies if copy.size > 32 * 64 * 4]
    if large or data.device.type != "cpu":
        size = data.numel() * data.element_size() // 1024
        return "all_at_once", {"line": large[0] if large else ran.line("data"), "size": size}
    lines = Counter(copy.line for copy in copies)
    if len(copies) > 12:
        line, count = lines.most_common(1)[0]
        return "copies", {"total": len(copies), "line": line, "count": count}
    data = data.cpu()
    x = ((data - data.mean(dim=0)) / data.std(dim=0)).to(place)
    right = model(x).square().mean().item()
    if abs(average - right) > 1e-3 * right:
        return "other_average", {"average": f"{average:.4f}", "right": f"{right:.4f}"}
    return None

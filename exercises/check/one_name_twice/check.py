import torch


def check(ran):
    if ran.error and "get_device_properties" in ran.error.text:
        return "properties", {"line": ran.error.line}
    if ran.error and not ran.gpus and ("cuda" in ran.error.text.lower() or "NVIDIA" in ran.error.text):
        return "no_gpu", vars(ran.error)
    if ran.error:
        return None
    lines = [line for line in ran.output if line.startswith("GPU")]
    if len(lines) != ran.gpus:
        return "other_count", {"gpus": ran.gpus, "count": len(lines)}
    for number, line in enumerate(lines):
        name = torch.cuda.get_device_name(number)
        if name not in line:
            others = [i for i in range(ran.gpus) if torch.cuda.get_device_name(i) in line]
            if not others:
                return "no_name", {"printed": line, "name": name}
            return "same_name", {"number": number, "other": others[0]}
    if ran.gpus and ran["x"].device.index:
        return "left", {"device": ran["x"].device, "line": ran.line("x")}
    return None

import torch


def check(ran):
    models, outputs, error = ran["models"], ran["outputs"], ran.error
    if error and "same device" in error.text:
        if len(outputs) == 2:
            values = {"first": outputs[0].device, "second": outputs[1].device}
            return "apart", values | {"line": error.line}
        return "input_elsewhere", {"line": error.line, "model": ran["model"].weight.device}
    if error:
        return None
    if len(models) != 2:
        return "other_count", {"count": len(models)}
    mean = ran["mean"]
    first, second = (model.weight.device for model in models)
    if first == second:
        return "both_on_one", {"device": first}
    if (first.index, second.index) != (0, 1):
        return "swapped", {"first": first, "second": second}
    if mean.device.type == "cpu":
        back = [copy.line for copy in ran.of("copy") if copy.target == "cpu"]
        return "on_cpu", {"lines": ", ".join(map(str, sorted(set(back))))}
    x = ran["x"]
    right = sum(model(x.to(model.weight.device)).cpu() for model in models) / 2
    if mean.shape != right.shape or not torch.allclose(mean.cpu(), right, atol=1e-5):
        return "other_mean", {"line": ran.line("mean")}
    return None

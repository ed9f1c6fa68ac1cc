import torch

INPUT = 4 * 16384 * 256


def check(ran):
    x, weight, error = ran["x"], ran["model"][0].weight, ran.error
    if error and "dtype" in error.text:
        return "types_differ", {"line": error.line, "x": x.dtype, "weight": weight.dtype}
    if x.device.type == "cpu":
        return "on_cpu", {"line": ran.line("x")}
    if x.shape != (16384, 256):
        return "fewer", {"count": len(x)}
    if torch.float64 in (x.dtype, weight.dtype):
        return "double", {"size": x.nbytes // 2**20, "dtype": x.dtype, "model": weight.dtype}
    if {x.dtype, weight.dtype} != {torch.float32}:
        return "other_type", {"x": x.dtype}
    if ran.peak > 2 * INPUT:
        values = {"peak": ran.peak // 2**20, "size": INPUT // 2**20}
        return "converted_there", values | {"line": ran.line("x")}
    return None

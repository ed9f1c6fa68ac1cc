import torch
from torch.overrides import TorchFunctionMode


class Doubling(TorchFunctionMode):
    """Notes where products and sums are computed."""

    def __init__(self):
        super().__init__()
        self.places = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if any(name in func.__name__ for name in ("mul", "add")):
            self.places.append(out.device)
        return out


def check(ran):
    error = ran.error
    if error and "same device" in error.text:
        devices = {name: ran[name].device for name in ("first", "third")}
        return "apart", devices | {"line": error.line}
    first, second, third = ran["first"].device, ran["second"].device, ran["third"].device
    if first.type == "cpu":
        return "on_cpu", {"line": ran.line("first")}
    if second.index != 1:
        return "not_second", {"second": second}
    if third != first:
        return "third_moved", {"line": ran.line("third"), "first": first, "third": third}
    with Doubling() as doubling, torch.cuda.device(0):
        ran["double_on_second"](torch.ones(1, device="cuda:0"))
    if elsewhere := [place for place in doubling.places if place != second]:
        return "computed_on_first", {"second": second, "place": elsewhere[0]}
    for current in (0, 1):
        with torch.cuda.device(current):
            ran["double_on_second"](torch.ones(1, device="cuda:0"))
            after = torch.cuda.current_device()
        if after < current:
            return "reset", {"before": current, "after": after}
        if after > current:
            return "leaks", {"before": current, "after": after}
    if ran["total"].device != first:
        return "total_moved", {"total": ran["total"].device}
    return None

import os
import re


def check(ran):
    if ran.error:
        return None
    for gpu in range(3):
        before = dict(os.environ)
        environment, arguments = ran["command"](gpu)
        if dict(os.environ) != before:
            return "own_environment", {"gpu": gpu}
        visible = environment.get("CUDA_VISIBLE_DEVICES")
        if visible == before.get("CUDA_VISIBLE_DEVICES"):  # it's "-1", by the check
            return "not_set", {"gpu": gpu}
        if visible is not None and not isinstance(visible, str):
            return "no_text", {"value": visible, "kind": type(visible).__name__}
        if lost := before.keys() - environment.keys() - {"CUDA_VISIBLE_DEVICES"}:
            name = "PATH" if "PATH" in lost else min(lost)
            return "bare", {"count": len(lost), "name": name}
        values = {"gpu": gpu, "visible": visible or ""}
        numbers = (visible or "").split(",")
        if len(numbers) != 1 or not numbers[0].strip().isdecimal():
            return "not_alone", values
        if int(numbers[0]) != gpu:
            return "other_gpu", values
        device = " ".join(map(str, arguments[2:]))
        index = re.search(r"cuda(?::(\d+))?", device)
        if not index:
            return "no_device", values | {"device": device}
        if int(index[1] or 0):
            return "beyond", values | {"device": index[0]}
    return None

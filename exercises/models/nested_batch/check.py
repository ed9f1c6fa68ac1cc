import torch


def check(ran):
    if ran.error:
        if ran.error.kind == "AttributeError" and "'to'" in ran.error.text:
            return "no_tensor", {"line": ran.error.line, "kind": ran.error.text.split("'")[1]}
        return None
    if ran["batch"]["image"].device.type == "cpu":
        return "nowhere", {"line": ran.line("batch")}
    for device in (torch.device("cuda:0"), torch.device("cuda:1")):
        before, after = dict(walk(given())), dict(walk(ran["move"](given(), device)))
        for path, (kind, _) in before.items():
            if path not in after:
                return "lost", {"path": path}
            now, place = after[path]
            if now != kind:
                return "other_kind", {"path": path, "before": kind, "after": now}
            if place not in (None, device):
                return "left", {"path": path, "place": place, "wanted": device}
    return None


def given():
    """What the program has in its batch."""
    target = {"boxes": [torch.zeros(4), torch.ones(4)], "name": ["cat", "dog"]}
    return {"image": torch.ones(2), "views": (torch.ones(2), torch.zeros(2)), "target": target}


def walk(value, path=""):
    """All that is in a nested batch: where, its kind, and the device of a tensor."""
    yield path, (type(value).__name__, getattr(value, "device", None))
    inside = enumerate(value) if isinstance(value, (list, tuple)) else ()
    for key, part in value.items() if isinstance(value, dict) else inside:
        yield from walk(part, f"{path}[{key!r}]")

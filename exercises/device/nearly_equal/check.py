from torch import nn


def check(ran):
    if ran.error:
        return None
    batch_size = ran["batch_size"]
    sizes = [batch_size(nn.Linear(1, 1).to(f"cuda:{number}")) for number in range(ran.gpus)]
    for number, size in enumerate(sizes):
        if size != 256 and number == 0:
            return "small", {"number": number, "size": size}
        if size != 256:
            return "other_gpu", {"number": number, "size": size}
    size = batch_size(nn.Linear(1, 1))
    if size != 32 and ran.gpus == 0:
        return "large", {"size": size}
    if size != 32:
        return "asks_machine", {"size": size}
    return None

from torch import nn


def check(ran):
    if ran.error:
        return None
    batch_size = ran["batch_size"]
    sizes = [batch_size(nn.Linear(1, 1).to(f"cuda:{number}")) for number in range(ran.gpus)]
    for number, size in enumerate(sizes):
        if size != 256:
            return "other_gpu" if number else "small", {"number": number, "size": size}
    if (size := batch_size(nn.Linear(1, 1))) != 32:
        return "asks_machine" if ran.gpus else "large", {"size": size}
    return None

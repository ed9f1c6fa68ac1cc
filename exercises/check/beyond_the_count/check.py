import torch


def check(ran):
    pick, gpus = ran["pick"], ran.gpus
    for number in range(4):
        try:
            device = torch.device(pick(number))
        except Exception as error:
            return "raises", {"gpus": gpus, "number": number, "error": error}
        values = {"gpus": gpus, "number": number, "device": device}
        if not gpus:
            if device.type == "cuda":
                return "no_gpu", values
        elif device.type == "cpu":
            return "on_cpu", values
        elif (index := device.index or 0) >= gpus:
            return "beyond", values
        elif index != (number if number < gpus else 0):
            return "another", values
    return None

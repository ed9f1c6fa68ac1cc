import torch
from torch.nn.parallel import DistributedDataParallel


def check(ran):
    error = ran.error
    if error and "state_dict" in error.text:
        return "prefix", {"line": error.line}
    if error and error.kind == "UnpicklingError":
        saved, loaded = max(ran.calls("save")), max(ran.calls("load"))
        return "whole_model", {"saved": saved, "loaded": loaded}
    if error:
        return None
    model, single = ran["model"], ran["single"]
    trained = getattr(model, "module", model)
    saves = ran.from_ranks(len(ran.of("save")))
    if single is trained or single is model:
        return "the_same", {"line": ran.line("single")}
    if isinstance(single, DistributedDataParallel):
        return "wrapped", {"line": ran.line("single")}
    if not torch.equal(single.weight, trained.weight):
        difference = float((single.weight - trained.weight).abs().max())
        return "not_loaded", {"difference": f"{difference:.2f}"}
    if all(saves):
        return "both_write", {"line": ran.of("save")[0].line}
    if not any(saves):
        return "no_file", {"line": ran.line("single")}
    return None

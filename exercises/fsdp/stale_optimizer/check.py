def check(ran):
    if ran.error:
        return None
    model, losses = ran["model"], ran["losses"]
    sizes = [
        (
            getattr(parameter, "to_local", lambda parameter=parameter: parameter)().nbytes,
            parameter.nbytes,
        )
        for parameter in model.parameters()
    ]
    local, whole = sum(one for one, _ in sizes), sum(all_ for _, all_ in sizes)
    if local > 0.6 * whole:
        return "whole", {"local": local, "whole": whole}
    held = [id(one) for group in ran["optimizer"].param_groups for one in group["params"]]
    missing = [name for name, one in model.named_parameters() if id(one) not in held]
    if len(missing) == len(sizes):
        return "stale", {"line": ran.line("optimizer"), "loss": f"{losses[-1]:.3f}"}
    if missing:
        return "some", {"name": missing[0], "count": len(missing)}
    if len(losses) != 10:
        return "not_all", {"count": len(losses)}
    if losses[-1] > 0.9 * losses[0]:
        return "still", {"first": f"{losses[0]:.3f}", "last": f"{losses[-1]:.3f}"}
    return None

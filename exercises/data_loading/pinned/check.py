import ast


def check(ran):
    loop = next(node for node in ran.tree.body if isinstance(node, ast.For))
    lines = range(loop.lineno, loop.end_lineno + 1)
    copies = [copy for copy in ran.of("copy") if copy.line in lines and copy.source == "cpu"]
    if ran["features"].device.type == "cpu":
        return "on_cpu", {"line": ran.line("features")}
    if len(copies) < 16:
        return "moved_before", {"count": len(copies)}
    if here := [line for line in ran.calls("pin_memory") if line in lines]:
        return "pinned_here", {"line": here[0]}
    pageable = [copy for copy in copies if not copy.pinned]
    waiting = [copy for copy in copies if not copy.non_blocking]
    if pageable:
        if len(pageable) < len(copies):
            return "half_pinned", {"line": pageable[0].line, "count": len(pageable)}
        return "pageable", {"count": len(pageable), "line": pageable[0].line}
    if waiting:
        at = sorted({copy.line for copy in waiting})
        if len(at) > 1:
            return "all_blocking", {"count": len(waiting), "lines": ", ".join(map(str, at))}
        return "blocking", {"count": len(waiting), "line": at[0]}
    return None

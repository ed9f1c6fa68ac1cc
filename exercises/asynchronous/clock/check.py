import ast


def check(ran):
    seconds = ran["seconds"]
    clocks = [number for number, event in enumerate(ran.events) if event.what == "clock"]
    if len(clocks) < 2:
        return "no_clock", {"line": ran.line("seconds"), "count": len(clocks)}
    first, last = clocks[-2:]
    start, stop = ran.events[first].line, ran.events[last].line
    away = [event for event in ran.events[first:last] if event.what == "copy"]
    if away := [copy for copy in away if copy.target == "cpu" and not copy.non_blocking]:
        return "copied", {"line": away[-1].line}
    if not isinstance(seconds, float) or ran["x"].device.type == "cpu":
        return "on_cpu", {"line": ran.line("result")}
    functions = [node for node in ran.tree.body if isinstance(node, ast.FunctionDef)]
    inside = [range(node.lineno, node.end_lineno + 1) for node in functions]
    if any(start in one for one in inside):  # a function that waits and then reads the clock
        befores = [ran.events[number - 1].what if number else "clock" for number in (first, last)]
        return ("queued", {"start": start, "stop": stop}) if "clock" in befores else None
    calls = [line for line in ran.calls("chain") if not any(line in one for one in inside)]
    warm = [line for line in calls if line < start]
    timed = [line for line in calls if start <= line <= stop]
    if not timed:
        return "nothing_timed", {"start": start, "stop": stop}

    def waits(begin, end, after):
        events = [event for event in ran.events[begin:end] if event.what in ("synchronize", "wait")]
        in_function = [event for event in events if any(event.line in one for one in inside)]
        return events, in_function or [event for event in events if event.line >= after]

    between, good = waits(first, last, timed[-1])
    if len(between) > 5:
        return "every_step", {"count": len(between), "line": between[0].line}
    if not good:
        if between:
            return "too_early", {"line": between[0].line, "work": timed[-1], "stop": stop}
        return "queued", {"start": start, "stop": stop}
    if not warm:
        return "cold", {"start": start}
    if not waits(0, first, warm[-1])[1]:
        return "warmup_counted", {"warm": warm[-1], "start": start}
    return None

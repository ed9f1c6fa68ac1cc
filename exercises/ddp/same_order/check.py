def check(ran):
    epochs = ran["epochs"]
    both = ran.from_ranks(epochs)
    if ran.error:
        return None
    if sorted(map(len, both)) != [3, 3]:
        return "not_all", {"count": len(epochs)}
    for number, (one, other) in enumerate(zip(*both, strict=True)):
        if set(one) == set(other):
            return "undivided", {"epoch": number, "count": len(set(one))}
        if twice := sorted(set(one) & set(other)):
            return "overlap", {"epoch": number, "samples": ", ".join(map(str, twice))}
        if len(one) + len(other) != 16:
            return "other_size", {"epoch": number, "count": len(one) + len(other)}
    if any(part == sorted(part) for epochs in both for part in epochs):
        return "sorted", {"first": epochs[0][:4]}
    if epochs[0] == epochs[1] == epochs[2]:
        return "alike", {"first": ", ".join(map(str, epochs[0][:4]))}
    if same := [pair for pair in ((0, 1), (1, 2), (0, 2)) if epochs[pair[0]] == epochs[pair[1]]]:
        return "two_alike", {"one": same[0][0], "other": same[0][1]}
    return None

def check(ran):
    parts = ran.from_ranks(ran["seen"])
    if parts[0] == parts[1]:
        return "the_same", {"count": len(parts[0])}
    both = sorted(parts[0] + parts[1])
    if lost := sorted(set(range(16)) - set(both)):
        return "lost", {"samples": ", ".join(map(str, lost))}
    if twice := sorted(set(parts[0]) & set(parts[1])):
        return "twice", {"samples": ", ".join(map(str, twice))}
    if len(parts[0]) != len(parts[1]):
        return "unequal", {"first": len(parts[0]), "second": len(parts[1])}
    return None

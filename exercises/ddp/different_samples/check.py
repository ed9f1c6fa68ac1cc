def check(ran):
    read = [one[0] if isinstance(one, (list, tuple)) else one for one in ran["loader"]]
    sizes = [len(batch) for batch in read]
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
    if sum(sizes) > len(parts[0]):
        return "read_all", {"read": sum(sizes), "seen": len(parts[0])}
    if max(sizes, default=4) != 4:
        return "other_batches", {"size": max(sizes)}
    return None

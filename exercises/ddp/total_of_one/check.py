import torch


def check(ran):
    if ran.error and "by peer" in ran.error.text:
        return "alone", {"rank": ran.rank, "line": ran.error.line}
    both = ran.from_ranks(float(ran["accuracy"]))
    rows = ran.names.get("rows")
    shares = ran.from_ranks(len(range(10)[rows]) if isinstance(rows, slice) else 0)
    if ran.error:
        return None
    torch.manual_seed(0)
    hits = torch.randn(10, 4).argmax(dim=1) == torch.randint(4, (10,))
    right = float(hits.float().mean())
    parts = [float(hits[:6].float().mean()), float(hits[6:].float().mean())]
    values = {"first": f"{both[0]:.2f}", "second": f"{both[1]:.2f}", "right": f"{right:.2f}"}
    if all(abs(one - right) < 1e-6 for one in both):
        if sum(shares) > 10:
            return "more_than_ten", {"first": shares[0], "second": shares[1]}
        return None
    if abs(both[0] - parts[0]) < 1e-6 and abs(both[1] - parts[1]) < 1e-6:
        return "one_part", values
    if any(abs(one - right) < 1e-6 for one in both):
        return "one_knows", values
    if abs(both[0] - sum(parts) / 2) < 1e-6:
        return "mean_of_means", values
    if both[0] > max(parts):
        return "too_much", values
    return "other", values

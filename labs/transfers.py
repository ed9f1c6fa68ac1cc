# minutes: 10
# colab: yes

# %% setup
import time

import matplotlib.pyplot as plt
import torch
from IPython.display import ProgressBar

KiB, MiB = 2**10, 2**20
gpu = torch.cuda.is_available()
if gpu:
    print("measuring the bus to", torch.cuda.get_device_name())
else:
    print("no GPU: measuring copies inside the CPU's memory instead")


# %% stopwatch measures
def seconds(copy, *args, **options):
    copy(*args, **options)
    fastest = float("inf")
    for _ in range(10):
        if gpu:
            torch.cuda.synchronize()
        start = time.perf_counter()
        copy(*args, **options)
        if gpu:
            torch.cuda.synchronize()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


source, target = torch.ones(16 * MiB), torch.empty(16 * MiB)
rate = source.nbytes / seconds(target.copy_, source) / 1e9
print(f"CPU to CPU, 64 MiB: {rate:.1f} GB/s")


# %% ways
def tensor(size, where):
    x = torch.ones(size // 4)
    if where == "pinned":
        return x.pin_memory()
    return x.cuda() if where == "GPU" else x


ways = [("CPU", "CPU")]
if gpu:
    ways += [("CPU", "GPU"), ("pinned", "GPU")]
    ways += [("GPU", "CPU"), ("GPU", "pinned"), ("GPU", "GPU")]
print(*(f"{start} to {end}" for start, end in ways), sep="\n")

# %% sizes measures
sizes = [4 * KiB * 4**n for n in range(8)]
rates = {way: [] for way in ways}
work = [(way, size) for way in ways for size in sizes]
for number in ProgressBar(len(work)):
    (start, end), size = work[number]
    source, target = tensor(size, start), tensor(size, end)
    took = seconds(target.copy_, source, non_blocking=True)
    rates[start, end].append(size / took / 1e9)

print("      KiB", *(f"{f'{start}>{end}':>12}" for start, end in ways))
for size, row in zip(sizes, zip(*rates.values())):
    print(f"{size // KiB:9}", *(f"{rate:12.2f}" for rate in row))


# %% pays measures
def pays_from(sizes, rates):
    ### BEGIN SOLUTION
    half = max(rates) / 2
    return next(s for s, rate in zip(sizes, rates) if rate >= half)
    ### END SOLUTION


found = pays_from([1, 2, 4, 8, 16], [1.0, 3.0, 5.0, 10.0, 9.0])
assert found != 8, "8 is the fastest; half of its 10 GB/s are reached before"
assert found == 4, f"half of 10 GB/s is first reached with size 4, not {found}"
for (first, last), row in rates.items():
    print(f"{first} to {last}: from {pays_from(sizes, row) // KiB} KiB")

# %% plot measures
for (start, end), row in rates.items():
    label = f"{start} to {end}"
    plt.plot([size / KiB for size in sizes], row, marker="o", label=label)
plt.xscale("log", base=2)
plt.yscale("log")
plt.xlabel("KiB")
plt.ylabel("GB/s")
plt.legend()
plt.show()

# %% pieces measures
whole = torch.ones(4 * MiB)
there = torch.empty_like(whole, device="cuda" if gpu else "cpu")
for pieces in (1, 16, 256, 4096):
    pairs = list(zip(whole.chunk(pieces), there.chunk(pieces)))

    def copy_all(pairs=pairs):
        for start, end in pairs:
            end.copy_(start)

    print(f"16 MiB in {pieces:4} pieces: {1000 * seconds(copy_all):7.2f} ms")
print("arrived:", there.cpu().eq(whole).all().item())


# %% together
def move_together(tensors, where):
    ### BEGIN SOLUTION
    flat = torch.cat([t.flatten() for t in tensors]).to(where)
    parts = flat.split([t.numel() for t in tensors])
    return [part.view(t.shape) for part, t in zip(parts, tensors)]
    ### END SOLUTION


small = [torch.rand(2, 3), torch.rand(5), torch.rand(4, 1)]
arrived = move_together(small, "cuda" if gpu else "cpu")
shapes = [tuple(t.shape) for t in arrived]
assert shapes == [(2, 3), (5,), (4, 1)], f"they have other shapes now: {shapes}"
same = [a.cpu().equal(b) for a, b in zip(arrived, small)]
assert all(same), "the values are not the same"
pieces = {t.untyped_storage().data_ptr() for t in arrived}
assert len(pieces) == 1, f"{len(pieces)} copies: concatenate before you move"
print("three tensors, copies:", len(pieces))

# %% dtype measures
for dtype in (torch.float64, torch.float32, torch.float16, torch.uint8):
    start = torch.ones(4 * MiB, dtype=dtype)
    end = torch.empty_like(start, device="cuda" if gpu else "cpu")
    took = seconds(end.copy_, start)
    name = str(dtype).removeprefix("torch.")
    print(f"{name:8} {start.nbytes // MiB:3} MiB {1000 * took:7.2f} ms")

# %% pin measures
if gpu:
    x, pinned, times = torch.ones(32 * MiB), None, []
    for _ in range(3):
        pinned = None
        start = time.perf_counter()
        pinned = x.pin_memory()
        times.append(1000 * (time.perf_counter() - start))
    print(f"to pin 128 MiB for the first time: {times[0]:.2f} ms")
    print(f"to pin 128 MiB again: {times[-1]:.2f} ms")
    print(f"to copy them: {1000 * seconds(x.cuda):.2f} ms")
    copy = seconds(pinned.to, "cuda", non_blocking=True)
    print(f"to copy them once pinned: {1000 * copy:.2f} ms")
else:
    print("no GPU: pinned memory has nothing to do here")

# %% overlap measures
if gpu:
    batches = [torch.ones(16 * MiB).pin_memory() for _ in range(8)]
    weights = torch.rand(4096, 4096, device="cuda")

    def compute():
        for _ in range(4):
            torch.mm(weights, weights)

    def in_turn():
        for batch in batches:
            batch.to("cuda", non_blocking=True)
            compute()

    copies = torch.cuda.Stream()

    def side_by_side():
        for batch in batches:
            with torch.cuda.stream(copies):
                batch.to("cuda", non_blocking=True)
            compute()

    print(f"one after the other: {1000 * seconds(in_turn):.1f} ms")
    print(f"on two streams: {1000 * seconds(side_by_side):.1f} ms")
else:
    print("no GPU: nothing that could copy while the CPU computes")

# minutes: 12
# colab: yes

# %% setup
import matplotlib.pyplot as plt
import torch

MiB = 2**20
gpu = torch.cuda.is_available()
print("a GPU to check against:", torch.cuda.get_device_name() if gpu else "no")


# %% rules
def round_up(size, step):
    return -(-size // step) * step


def segment_size(size):
    if size <= 1 * MiB:
        return 2 * MiB
    if size < 10 * MiB:
        return 20 * MiB
    return round_up(size, 2 * MiB)


for size in (100, 1 * MiB, 1 * MiB + 1, 9 * MiB, 10 * MiB, 33 * MiB):
    size = round_up(size, 512)
    print(f"{size:>9} B in a segment of {segment_size(size) // MiB:>2} MiB")


# %% allocator
class Allocator:
    def __init__(self):
        self.segments = []

    def allocate(self, name, size):
        size = round_up(size, 512)
        small = size <= 1 * MiB
        free = [
            (block[1], blocks, place)
            for is_small, blocks in self.segments
            for place, block in enumerate(blocks)
            if is_small == small and block[0] is None and block[1] >= size
        ]
        if not free:
            blocks = [[None, segment_size(size)]]
            self.segments.append((small, blocks))
            free = [(0, blocks, 0)]
        _, blocks, place = min(free, key=lambda found: found[0])
        rest = blocks[place][1] - size
        if rest >= 512 if small else rest > 1 * MiB:
            blocks[place : place + 1] = [[name, size], [None, rest]]
        else:
            blocks[place][0] = name

    def free(self, name):
        for _, blocks in self.segments:
            for place in range(len(blocks)):
                if blocks[place][0] == name:
                    blocks[place][0] = None
            for place in reversed(range(1, len(blocks))):
                if blocks[place][0] is None and blocks[place - 1][0] is None:
                    blocks[place - 1][1] += blocks.pop(place)[1]

    def empty_cache(self):
        self.segments = [
            (small, blocks)
            for small, blocks in self.segments
            if any(name for name, _ in blocks)
        ]

    def numbers(self):
        blocks = [block for _, blocks in self.segments for block in blocks]
        reserved = sum(size for _, size in blocks)
        return sum(size for name, size in blocks if name), reserved


allocator = Allocator()
allocator.allocate("a", 3 * MiB)
print([number / MiB for number in allocator.numbers()])


# %% draw
def draw(segments):
    plt.figure(figsize=(4.8, 0.5 + 0.4 * len(segments)))
    for row, (_, blocks) in enumerate(segments):
        left = 0
        for name, size in blocks:
            width = size / MiB
            color = "C0" if name else "lightgray"
            plt.barh(row, width, 0.7, left, color=color, edgecolor="white")
            if name and width >= 1:
                middle = left + width / 2
                style = {"color": "white", "ha": "center", "va": "center"}
                plt.text(middle, row, name, style)
            left += width
    plt.yticks([])
    plt.gca().invert_yaxis()
    plt.xlabel("MiB")
    plt.show()


allocator.allocate("b", 8 * MiB)
allocator.allocate("c", MiB // 2)
draw(allocator.segments)

# %% delete
allocator.free("b")
print([number / MiB for number in allocator.numbers()])
draw(allocator.segments)

# %% reuse
allocator.allocate("d", 4 * MiB)
print([number / MiB for number in allocator.numbers()])
allocator.allocate("e", 16 * MiB)
print([number / MiB for number in allocator.numbers()])
draw(allocator.segments)

# %% empty
allocator.free("e")
allocator.free("d")
before = allocator.numbers()[1] // MiB
allocator.empty_cache()
print("reserved", before, "then", allocator.numbers()[1] // MiB)
draw(allocator.segments)


# %% returnable
def returnable(allocator):
    ### BEGIN SOLUTION
    rows = [blocks for _, blocks in allocator.segments]
    empty = [row for row in rows if not any(name for name, _ in row)]
    return sum(size for row in empty for _, size in row)
    ### END SOLUTION


example = Allocator()
for name, size in (("a", 3), ("b", 8), ("c", 16), ("d", 30)):
    example.allocate(name, size * MiB)
for name in ("b", "c", "d"):
    example.free(name)
promised, held = returnable(example), example.numbers()[1]
example.empty_cache()
gone = held - example.numbers()[1]
hint = "a segment with one tensor in it stays"
assert promised == gone, f"{gone} B were returned, not {promised}: {hint}"
print("returned:", gone // MiB, "MiB")

# %% holes
allocator = Allocator()
for number in range(10):
    allocator.allocate(f"t{number}", 4 * MiB)
for number in range(0, 10, 2):
    allocator.free(f"t{number}")
allocated, reserved = allocator.numbers()
print("free in the segments:", (reserved - allocated) // MiB, "MiB")
allocator.allocate("x", 9 * MiB)
print("reserved before and after x:", reserved // MiB, end=" ")
print(allocator.numbers()[1] // MiB, "MiB")
draw(allocator.segments)


# %% largest
def largest_free(allocator):
    ### BEGIN SOLUTION
    blocks = [block for _, row in allocator.segments for block in row]
    return max((size for name, size in blocks if not name), default=0)
    ### END SOLUTION


example = Allocator()
assert largest_free(example) == 0, "without segments nothing is free: return 0"
for name, size in zip("abcdefg", (4, 4, 4, 4, 4, 9, 8)):
    example.allocate(name, size * MiB)
example.free("b")
example.free("c")
found = largest_free(example) // MiB
assert found != 11, "11 MiB is the sum of all free blocks: one tensor needs one"
assert found == 8, f"the largest free block has 8 MiB, not {found}"
print("largest free block:", found, "MiB")

# %% steps
steps = [("a", 3), ("b", 8), ("c", 8.5), ("d", 11.5), ("e", 0.5), ("b", 0)]
steps += [("f", 8), ("d", 0), ("g", 10.5), ("c", 0), ("g", 0)]

model, history = Allocator(), []
for name, size in steps:
    if size:
        model.allocate(name, int(size * MiB))
    else:
        model.free(name)
    history.append(model.numbers())

for label, numbers in zip(("allocated", "reserved"), zip(*history)):
    plt.step(range(len(steps)), [n / MiB for n in numbers], label=label)
plt.xticks(range(len(steps)), [f"{'+' if s else '-'}{n}" for n, s in steps])
plt.ylabel("MiB")
plt.legend()
plt.show()

# %% real
if gpu:
    torch.cuda.empty_cache()
    start = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    tensors, same = {}, []
    for (name, size), expected in zip(steps, history):
        tensors.pop(name, None)
        if size:
            count = int(size * MiB)
            options = {"dtype": torch.uint8, "device": "cuda"}
            tensors[name] = torch.empty(count, **options)
        found = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
        found = tuple(now - then for now, then in zip(found, start))
        same.append(found == expected)
    print(sum(same), "of", len(same), "steps as the model says")
else:
    print("no GPU: the model has nothing to be checked against")

# %% snapshot
if gpu:
    draw(
        [
            (
                segment["segment_type"] == "small",
                [
                    [
                        None if block["state"] == "inactive" else "x",
                        block["size"],
                    ]
                    for block in segment["blocks"]
                ],
            )
            for segment in torch.cuda.memory_snapshot()
        ]
    )
else:
    print("no GPU: no segments to draw")

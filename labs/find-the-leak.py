# minutes: 12
# colab: yes

# %% setup
import gc
from collections import Counter

import matplotlib.pyplot as plt
import torch
from IPython.display import ProgressBar
from torch import nn

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
MiB = 2**20
gc.collect()
gc.freeze()
print("looking for leaks on", device)


# %% trainer
class Trainer:
    def __init__(self):
        torch.manual_seed(0)
        layers = [nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 1)]
        self.model = nn.Sequential(*layers).to(device)
        self.model[0].register_forward_hook(self.watch_outputs)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.outputs, self.history, self.recent = [], [], {}

    def watch_outputs(self, module, args, output):
        self.outputs.append(output.detach())

    def loss(self, x):
        return (self.model(x) - x.sum(1, keepdim=True)).square().mean()

    def validate(self):
        x = torch.rand(512, 256, device=device)
        self.history.append(self.loss(x))

    def step(self, number):
        x = torch.rand(1024, 256, device=device)
        self.recent[number % 4] = x
        loss = self.loss(x)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.validate()


Trainer().step(0)
print("a step went well")


# %% meter
def tensors():
    gc.collect()
    found = [o for o in gc.get_objects() if issubclass(type(o), torch.Tensor)]
    return [t for t in found if t.device.type == device.type]


def held():
    if device.type == "cuda":
        gc.collect()
        return torch.cuda.memory_allocated() / MiB
    storages = [t.untyped_storage() for t in tensors()]
    return sum({s.data_ptr(): s.nbytes() for s in storages}.values()) / MiB


x = torch.zeros(3, 2**20, device=device)
before = held()
view = x[1:]
print("rows of x and of the view:", len(x), len(view))
del x
print("still held after del x:", held() == before)
del view
print("after the view is gone:", held() - before, "MiB")


# %% row
def first_row(table):
    ### BEGIN SOLUTION
    return table[0].clone()
    ### END SOLUTION


row = first_row(torch.ones(3, 2**20, device=device))
assert row.shape == (2**20,), f"not the first row, but {tuple(row.shape)}"
size = row.untyped_storage().nbytes() / MiB
assert size == 4, (
    f"the row holds {size:.0f} MiB: it is still a view of the table"
)
print("the row holds", size, "MiB")
del row


# %% watch
def watch(trainer, steps=8):
    sizes = []
    for number in ProgressBar(steps):
        trainer.step(number)
        sizes.append(held())
    return [size - sizes[0] for size in sizes]


trainer = Trainer()
leaking = watch(trainer)
plt.plot(leaking, marker="o")
plt.xlabel("step")
plt.ylabel("MiB more than after the first")
plt.show()


# %% shapes
def shapes():
    return Counter(tuple(t.shape) for t in tensors())


earlier = shapes()
trainer.step(8)
trainer.step(9)
more = shapes() - earlier
for shape in sorted(more, key=lambda shape: (-more[shape], shape)):
    print(f"{more[shape]:+} {shape}")


# %% who
def owners(shape):
    found = [t for t in tensors() if tuple(t.shape) == shape]
    names = Counter()
    for t in found:
        holders = [h for h in gc.get_referrers(t) if h is not found]
        known = [
            n for n, v in vars(trainer).items() if any(v is h for h in holders)
        ]
        names[known[0] if known else "nothing in Python"] += 1
    return dict(names)


print(owners((1024, 512)))
print(owners((512, 512)))
print(owners((1024, 256)))
print(owners((512, 256)))


# %% first-fix
class KeepsTheLast(Trainer):
    def watch_outputs(self, module, args, output):
        self.outputs = [output.detach()]


trainer = KeepsTheLast()
better = watch(trainer)
print(f"before: {leaking[-1] - leaking[-2]:.1f} MiB a step")
print(f"now: {better[-1] - better[-2]:.1f} MiB a step")

# %% second-hunt
print(owners((512, 512)))
print(trainer.history[0].grad_fn is not None)


# %% second-fix
class KeepsNumbers(KeepsTheLast):
    def validate(self):
        x = torch.rand(512, 256, device=device)
        with torch.inference_mode():
            self.history.append(self.loss(x).item())


trainer = KeepsNumbers()
level = watch(trainer)
print(f"now: {level[-1] - level[-2]:.1f} MiB a step")


# %% total
def add(total, loss):
    ### BEGIN SOLUTION
    return total + loss.detach()
    ### END SOLUTION


weights = torch.ones(3, device=device, requires_grad=True)
running = torch.zeros((), device=device)
for _ in range(3):
    running = add(running, weights.square().sum())
    assert running is not None, "add has to return the new total"
held_graph = isinstance(running, torch.Tensor) and running.grad_fn is not None
assert not held_graph, (
    "the total has a grad_fn: it keeps the graph of each step"
)
assert float(running) == 9, f"three losses of 3 add up to 9, not {running}"
print("total:", float(running))

# %% compare
for sizes, label in (
    (leaking, "as found"),
    (better, "hook mended"),
    (level, "validation mended, too"),
):
    plt.plot(sizes, marker="o", label=label)
plt.xlabel("step")
plt.ylabel("MiB more than after the first")
plt.legend()
plt.show()

# %% snapshot
if device.type == "cuda":
    memory = torch.cuda.memory
    memory._record_memory_history(stacks="python")
    trainer = Trainer()
    for number in range(6):
        trainer.step(number)
    segments = memory._snapshot()["segments"]
    memory._record_memory_history(enabled=None)
    sizes = Counter()
    for block in (b for segment in segments for b in segment["blocks"]):
        if block["state"] == "active_allocated":
            frames = [frame["name"] for frame in block.get("frames", [])]
            mine = [name for name in frames if name in vars(Trainer)]
            sizes[mine[0] if mine else "before recording"] += block["size"]
    for name, size in sizes.most_common():
        print(f"{size / MiB:7.1f} MiB allocated in {name}")
else:
    print("no GPU: no snapshot that knows the line of each block")

# minutes: 10
# colab: yes

# %% setup
import time

import matplotlib.pyplot as plt
import torch
from IPython.display import ProgressBar
from torch import nn

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
print("training on", device)

# %% data
torch.manual_seed(0)
arm = torch.arange(3000) % 3
radius = torch.rand(3000)
angle = 4 * radius + arm * 2 * torch.pi / 3 + 0.15 * torch.randn(3000)
points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
train_x, train_y = points[:2700], arm[:2700]
test_x, test_y = points[2700:], arm[2700:]
print(tuple(train_x.shape), tuple(test_x.shape), train_x.device)

# %% look
for label in range(3):
    x, y = test_x[test_y == label][:50].T
    plt.scatter(x, y, s=12)
plt.axis("equal")
plt.show()


# %% model
def build(width):
    torch.manual_seed(1)
    layers = [nn.Linear(2, width), nn.ReLU()]
    layers += [nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3)]
    return nn.Sequential(*layers).to(device)


model = build(64)
print(sum(p.numel() for p in model.parameters()), "parameters")
print(next(model.parameters()).device == torch.zeros(1, device=device).device)

# %% mistake
try:
    model(train_x[:4])
    print("no error: model and batch are both on the CPU")
except RuntimeError as error:
    print(str(error).split("\n")[0])


# %% move
def move(batch, where):
    ### BEGIN SOLUTION
    return {name: tensor.to(where) for name, tensor in batch.items()}
    ### END SOLUTION


batch = {"points": train_x[:4], "labels": train_y[:4]}
moved = move(batch, torch.device("meta"))
assert isinstance(moved, dict), "move has to return a dict of tensors"
left = [name for name in batch if moved[name].device.type != "meta"]
assert not left, f"not moved: {left} - .to() returns a new tensor, keep that"
assert batch["points"].device.type == "cpu", "the batch itself was changed"
print("moved:", sorted(moved))

# %% step
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = train_x[:100].to(device), train_y[:100].to(device)

before = nn.functional.cross_entropy(model(x), y)
optimizer.zero_grad()
before.backward()
optimizer.step()
after = nn.functional.cross_entropy(model(x), y)
print("one step, smaller loss:", (after < before).item())


# %% train
def train(model, epochs, batch_size):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in ProgressBar(epochs):
        order = torch.randperm(len(train_x))
        total = torch.zeros((), device=device)
        for batch in order.split(batch_size):
            x, y = train_x[batch].to(device), train_y[batch].to(device)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(batch)
        losses.append(total.item() / len(train_x))
    return losses


losses = train(model, epochs=30, batch_size=100)
print("below a tenth of the first:", losses[-1] < losses[0] / 10)

# %% curve
plt.plot(losses)
plt.yscale("log")
plt.xlabel("epoch")
plt.ylabel("loss")
plt.show()

# %% test
model.eval()
with torch.inference_mode():
    guess = model(test_x.to(device)).argmax(dim=1).cpu()
right = (guess == test_y).float().mean().item()
print("more than 95 % right:", right > 0.95)

# %% map measures
side = torch.linspace(-1.1, 1.1, 80)
grid = torch.cartesian_prod(side, side)
with torch.inference_mode():
    decided = model(grid.to(device)).argmax(dim=1).cpu().view(80, 80)
for label in range(3):
    x, y = test_x[test_y == label][:50].T
    plt.scatter(x, y, s=12)
plt.contour(side, side, decided.T == 0, levels=[0.5], colors="black")
plt.contour(side, side, decided.T == 1, levels=[0.5], colors="black")
plt.axis("equal")
plt.show()


# %% accuracy
def accuracy(model, x, y, batch_size):
    ### BEGIN SOLUTION
    count = torch.zeros((), device=device)
    for points, labels in zip(x.split(batch_size), y.split(batch_size)):
        answers = model(points.to(device)).argmax(dim=1)
        count += (answers == labels.to(device)).sum()
    return count.item() / len(x)
    ### END SOLUTION


answers = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
scores, wanted = torch.eye(3)[answers], answers.clone()
wanted[9] = 1
found = accuracy(nn.Identity(), scores, wanted, 4)
hint = "add up right answers, not the averages of batches: the last is smaller"
assert abs(found - 0.9) < 1e-6, f"9 of 10 are right, not {found:.3f}; {hint}"
with torch.inference_mode():
    found = accuracy(model, test_x, test_y, 64)
assert abs(found - right) < 0.01, f"{found}, and without batches {right}"
print("nearly the same in batches of 64:", abs(found - right) < 0.01)


# %% time measures
def seconds(width, where):
    work = build(width).to(where)
    x, y = train_x.to(where), train_y.to(where)
    nn.functional.cross_entropy(work(x), y).backward()
    start = time.perf_counter()
    for _ in range(5):
        loss = nn.functional.cross_entropy(work(x), y)
        loss.backward()
    loss.item()
    return (time.perf_counter() - start) / 5


places = [torch.device("cpu")]
if accelerator:
    places.append(accelerator)
else:
    print("no GPU here: one column only")
print("width", *(f"{place.type:>9}" for place in places))
for width in (16, 64, 256, 1024):
    row = [f"{1000 * seconds(width, place):6.1f} ms" for place in places]
    print(f"{width:5}", *row)

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def restore(path):
    """The trained model, ready to compute on `device`."""
    model = nn.Linear(4, 1)
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model.to(device)


torch.manual_seed(0)
trained = nn.Linear(4, 1).to(device)
torch.save(trained.state_dict(), "model.pt")

model = restore("model.pt")
print(f"restored on {model.weight.device}")

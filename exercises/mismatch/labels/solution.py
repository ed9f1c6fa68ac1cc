import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(8, 3).to(device)
data, classes = torch.randn(32, 8), torch.randint(0, 3, (32,))

correct = 0
with torch.no_grad():
    for start in range(0, 32, 8):
        x = data[start : start + 8].to(device)
        labels = classes[start : start + 8].to(device)
        prediction = model(x).argmax(dim=1)
        correct += (prediction == labels).sum()

accuracy = float(correct) / 32
print(f"accuracy {accuracy:.2f}")

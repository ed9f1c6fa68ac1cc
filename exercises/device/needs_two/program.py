import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
spare = torch.device("cuda:1") if torch.cuda.is_available() else device

torch.manual_seed(0)
student = nn.Linear(8, 4).to(device)
teacher = nn.Linear(8, 4).to(spare)

x = torch.randn(16, 8, device=device)
with torch.no_grad():
    target = teacher(x.to(spare)).to(device)
loss = (student(x) - target).square().mean()
print(f"student on {student.weight.device}, teacher on {teacher.weight.device}")

import torch
from torch import nn

torch.manual_seed(0)
x = torch.ones(16, 8)

models, outputs = [], []
for number in range(2):
    device = torch.device("cuda", number)
    model = nn.Linear(8, 4).to(device)
    outputs.append(model(x.to(device)))
    models.append(model)

mean = (outputs[0] + outputs[1].to(outputs[0].device)) / 2
print([str(model.weight.device) for model in models], mean.device)

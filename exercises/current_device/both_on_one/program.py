import torch
from torch import nn

device = torch.device("cuda:0")

torch.manual_seed(0)
x = torch.ones(16, 8)

models, outputs = [], []
for number in range(2):
    with torch.cuda.device(number):
        model = nn.Linear(8, 4).to(device)
        outputs.append(model(x.to(device)))
    models.append(model)

mean = (outputs[0] + outputs[1]) / 2
print([str(model.weight.device) for model in models], mean.device)

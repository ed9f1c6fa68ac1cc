import torch

layers = [torch.nn.Linear(4, 4, device=f"cuda:{i}") for i in range(2)]
batch = torch.ones(1, 4)

for name, device in {
    "batch": batch.device,
    "first layer": layers[0].weight.device,
    "second layer": layers[1].weight.device,
    "new tensor": torch.ones(1, device="cuda").device,
}.items():
    print(f"{name:<12}  {device}")

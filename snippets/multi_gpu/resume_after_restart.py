"""After a restart every process goes on from the last checkpoint.

重启之后，每个进程都从最后一个检查点接着训练。
"""
# needs: torchrun:2

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20
torch.manual_seed(0)
net = nn.Linear(4, 1).to(device)
model = DistributedDataParallel(net)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

done = 0
if os.path.exists("checkpoint.pt"):
    # zh: 先读到内存，再拷进模型和优化器；直接读到 GPU 上，那里就会多出一份。
    # en: To host memory, then into model and optimizer: a second copy on the
    #   GPU would stay there.
    checkpoint = torch.load("checkpoint.pt", map_location="cpu")
    net.load_state_dict(checkpoint["net"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    done = checkpoint["step"]
    del checkpoint
print("begins at step", done)
#> begins at step 0
#> begins at step 0

for step in range(done, steps):
    # zh: 数据只取决于步数和 rank，重做一步得到的还是那些。
    # en: Step and rank alone decide the data: a step done again is the same.
    data = torch.Generator().manual_seed(2 * step + dist.get_rank())
    x = torch.rand(8, 4, generator=data).to(device)
    optimizer.zero_grad()
    (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
    optimizer.step()
    if step % 10 == 9 and dist.get_rank() == 0:
        state = {"step": step + 1, "net": net.state_dict()}
        state["optimizer"] = optimizer.state_dict()
        # zh: 写完才改名：写到一半被杀掉，旧的还是完整的。
        # en: Renamed when complete: killed while writing, the old one stays.
        torch.save(state, "unfinished.pt")
        os.replace("unfinished.pt", "checkpoint.pt")

print("weights", f"{net.weight.sum().item():.4f}", "after step", steps)
#> weights -0.5071 after step 20
#> weights -0.5071 after step 20
if dist.get_rank() == 0:
    os.remove("checkpoint.pt")

dist.destroy_process_group()

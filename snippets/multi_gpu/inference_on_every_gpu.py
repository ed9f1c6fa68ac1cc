"""Inference over many files: each process takes a share and writes a file.

许多文件的推理：每个进程各算自己的一份，各写一个文件。
"""
# needs: torchrun:2
# leaves: files

import json
import os

import torch
from torch import nn

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
else:
    device = torch.device("cpu")


# zh: 假装读一张图片。
# en: This stands for reading an image.
def read(name):
    return torch.full((4,), float(name.removesuffix(".jpg")))


torch.manual_seed(0)
model = nn.Linear(4, 1).to(device).eval()
names = [f"{number}.jpg" for number in range(7)]

# zh: 每个 rank 隔 ranks 个取一个，所以没有重复，也没有遗漏。
# en: Every rank takes one name in `ranks`: none twice, and none left out.
mine = names[rank::ranks]
with open(f"results-{rank}.jsonl", "w") as results, torch.inference_mode():
    for start in range(0, len(mine), 2):
        some = mine[start : start + 2]
        x = torch.stack([read(name) for name in some]).to(device)
        for name, score in zip(some, model(x).flatten().tolist(), strict=True):
            print(json.dumps({"name": name, "score": score}), file=results)

with open(f"results-{rank}.jsonl") as results:
    print(f"rank {rank}:", [json.loads(line)["name"] for line in results])
    #> rank 0: ['0.jpg', '2.jpg', '4.jpg', '6.jpg']
    #> rank 1: ['1.jpg', '3.jpg', '5.jpg']

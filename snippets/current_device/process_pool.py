"""A pool of processes: each loads the model once, for all its inputs.

进程池：每个进程只加载一次模型，处理分给它的所有输入。
"""

import torch
import torch.multiprocessing as mp
from torch import nn


def load_model():
    global device, model
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = nn.Linear(3, 1).to(device).eval()


@torch.inference_mode()
def predict(numbers):
    return model(torch.tensor(numbers, device=device)).item()


if __name__ == "__main__":
    inputs = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    context = mp.get_context("spawn")
    with context.Pool(1, initializer=load_model) as pool:
        results = pool.map(predict, inputs)
    print(len(results), all(isinstance(r, float) for r in results))
    #> 2 True

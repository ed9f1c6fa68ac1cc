"""The device of a task, whether it sees all GPUs of the node or only its own.

不管一个任务能看到整机的 GPU，还是只看到自己那块，都取得对的设备。
"""


def local_device(local_rank, visible):
    """`visible`: torch.cuda.device_count()."""
    # zh: `visible` 是 torch.cuda.device_count() 的值。
    if visible == 0:
        return "cpu"
    return f"cuda:{local_rank % visible}"


# zh: 每个任务都看到 4 块：按 LOCAL_RANK 取。
# en: Each task sees all 4: take the one of LOCAL_RANK.
print([local_device(rank, 4) for rank in range(4)])
#> ['cuda:0', 'cuda:1', 'cuda:2', 'cuda:3']

# zh: --gpus-per-task=1：每个任务只看到自己那块，都叫 cuda:0。
# en: --gpus-per-task=1: each task sees its own, and all are called cuda:0.
print([local_device(rank, 1) for rank in range(4)])
#> ['cuda:0', 'cuda:0', 'cuda:0', 'cuda:0']

"""Which GPUs a scheduler gave to a job, and what the job calls them.

调度器分给作业哪几块 GPU，它们在程序里叫什么。
"""

CASES = {
    "without cgroups": {
        "SLURM_JOB_GPUS": "2,3",
        "CUDA_VISIBLE_DEVICES": "2,3",
    },
    "with cgroups": {
        "SLURM_JOB_GPUS": "2,3",
        "CUDA_VISIBLE_DEVICES": "0,1",
    },
    "a login node": {},
}


def names(environment):
    """What the program calls each GPU, and its number on the machine."""
    # zh: 程序里每块 GPU 的名字，和它在整台机器上的编号。
    visible = environment.get("CUDA_VISIBLE_DEVICES", "").split(",")
    machine = environment.get("SLURM_JOB_GPUS", "").split(",")
    pairs = zip(filter(None, visible), machine, strict=False)
    return {f"cuda:{i}": number for i, (_, number) in enumerate(pairs)}


for case, environment in CASES.items():
    print(f"{case}:", names(environment) or "no GPU")
    #> without cgroups: {'cuda:0': '2', 'cuda:1': '3'}
    #> with cgroups: {'cuda:0': '2', 'cuda:1': '3'}
    #> a login node: no GPU

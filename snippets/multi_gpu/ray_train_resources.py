"""What Ray Train asks its cluster for, before it starts anything.

Ray Train 启动之前，先看它要向集群申请什么。
"""
# needs: ray
# leaves: environment

from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer


def train():
    # zh: 训练函数，每个进程都会调用它。
    # en: The training function, which each of the processes calls.
    pass


scaling = ScalingConfig(
    num_workers=16, use_gpu=True, resources_per_worker={"CPU": 6}
)
print("in all:", scaling.total_resources)
#> in all: {'CPU': 96.0, 'GPU': 16.0}
print("each process:", scaling.resources_per_worker)
#> each process: {'CPU': 6}

# zh: 进程失败以后，最多重新启动三次。
# en: After a failure, the processes are started again up to three times.
trainer = TorchTrainer(
    train,
    scaling_config=scaling,
    run_config=RunConfig(failure_config=FailureConfig(max_failures=3)),
)
print("restarts:", trainer.run_config.failure_config.max_failures)
#> restarts: 3

# zh: 没有写 use_gpu，却要 GPU。
# en: GPUs are asked for, but use_gpu is missing.
try:
    ScalingConfig(num_workers=16, resources_per_worker={"GPU": 1})
except ValueError as error:
    print("ValueError:", str(error).split(".")[0])
    #> ValueError: `use_gpu` is False but `GPU` was found in `resources_per_worker`

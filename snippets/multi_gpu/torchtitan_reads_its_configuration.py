"""torchtitan's own parser reads a configuration and checks the degrees.

让 torchtitan 自己的解析器读一份配置，再检查各种并行的份数。
"""
# needs: torchtitan

import textwrap
from dataclasses import dataclass, field

from torchtitan.config import ConfigManager, ParallelismConfig, TrainingConfig
from torchtitan.distributed import ParallelDims


@dataclass
class Config:
    hf_assets_path: str = "."
    training: TrainingConfig = field(default_factory=TrainingConfig)
    parallelism: ParallelismConfig = field(default_factory=ParallelismConfig)


# zh: torchtitan 的配置是一个 Python 函数，命令行再改其中的值。
# en: A configuration of torchtitan is a Python function, and the command
#     line changes values in it.
def mine():
    return Config(training=TrainingConfig(local_batch_size=4))


arguments = ["--module=__main__", "--config=mine"]
arguments += ["--parallelism.tensor_parallel_degree=2"]
config = ConfigManager().parse_args(arguments)
print("samples of each micro-batch:", config.training.local_batch_size)
#> samples of each micro-batch: 4
print("tensor parallel:", config.parallelism.tensor_parallel_degree)
#> tensor parallel: 2
print("sharded over:", config.parallelism.data_parallel_shard_degree)
#> sharded over: -1


def degrees(gpus):
    chosen = config.parallelism
    return ParallelDims(
        dp_replicate=chosen.data_parallel_replicate_degree,
        dp_shard=chosen.data_parallel_shard_degree,
        cp=chosen.context_parallel_degree,
        tp=chosen.tensor_parallel_degree,
        pp=chosen.pipeline_parallel_degree,
        ep=chosen.expert_parallel_degree,
        world_size=gpus,
    )


# zh: -1 表示“剩下的都归它”，由 GPU 数算出来。
# en: -1 stands for all that is left, which follows from the number of GPUs.
for gpus in (8, 16):
    print(f"{gpus} GPUs: sharded over {degrees(gpus).dp_shard}")
    #> 8 GPUs: sharded over 4
    #> 16 GPUs: sharded over 8

# zh: 7 块卡没法按 2 块一组分开。
# en: 7 GPUs cannot be divided into groups of 2.
try:
    degrees(7)
except AssertionError as error:
    print(textwrap.fill(f"7 GPUs: {error}", 70))
    #> 7 GPUs: Invalid parallel dims: dp_replicate(1) * dp_shard(3) * cp(1) *
    #> tp(2) * pp(1) != WORLD_SIZE(7)

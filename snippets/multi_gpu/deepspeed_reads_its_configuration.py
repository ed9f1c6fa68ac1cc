"""DeepSpeed's own parser reads a configuration and derives what is missing.

让 DeepSpeed 自己的解析器读一份配置，没写的数由它算出。
"""
# needs: deepspeed

import textwrap

from deepspeed.runtime.config import DeepSpeedConfig

settings = {
    "train_batch_size": 64,
    "train_micro_batch_size_per_gpu": 4,
    "gradient_clipping": 1.0,
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 2},
}

# zh: 这里只有一个进程，所以 64 个样本要分成 16 个微批次。
# en: There is one process here, so 64 samples take 16 micro-batches.
config = DeepSpeedConfig(settings)
print("micro-batches:", config.gradient_accumulation_steps)
#> micro-batches: 16

# zh: 三个数都写，就必须对得上。
# en: If all three numbers are given, they have to fit.
try:
    DeepSpeedConfig({**settings, "gradient_accumulation_steps": 8})
except AssertionError as error:
    print(textwrap.fill(str(error).partition(". ")[2], 70))
    #> train_batch_size is not equal to micro_batch_per_gpu *
    #> gradient_acc_step * world_size 64 != 4 * 8 * 1

# zh: zero_optimization 里写错的键会报错，最外层写错的键不会。
# en: A misspelled key inside zero_optimization is an error; one at the top
#     is not.
inside, on_top = {"stgae": 2}, {"gradient_cliping": 1.0}
for wrong in ({"zero_optimization": inside}, on_top):
    name = next(iter(wrong))
    try:
        DeepSpeedConfig({**settings, **wrong})
        print(f"{name}: accepted without a message")
        #> gradient_cliping: accepted without a message
    except ValueError as error:
        told = str(error).splitlines()[2].strip()
        print(f"{name}: {told.partition(' [')[0]}")
        #> zero_optimization: Extra inputs are not permitted

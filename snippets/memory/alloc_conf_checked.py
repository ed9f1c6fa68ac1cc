"""Allocator settings through PyTorch's own parser, on any machine.

用 PyTorch 自己的解析器检查分配器的设置，任何机器都能跑。
"""

import torch

# zh: 私有函数，将来可能改名；只用来检查，训练时请设环境变量。
# en: A private function that may be renamed: for checks, not for training.
parse = torch._C._accelerator_setAllocatorSettings

for setting in (
    "expandable_segments:True",
    "max_split_size_mb:128",
    "garbage_collection_threshold:0.8",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "expandable_segments:True,garbage_collection_threshold:0.8",
    "expandable_segments:true",
    "max_split_size_mb:16",
    "garbage_collection_threshold:1.5",
    "roundup_power2_divisions:3",
):
    try:
        parse(setting)
        print("ok", setting)
        #> ok expandable_segments:True
        #> ok max_split_size_mb:128
        #> ok garbage_collection_threshold:0.8
        #> ok roundup_power2_divisions:[256:1,512:2,1024:4,>:8]
        #> ok expandable_segments:True,garbage_collection_threshold:0.8
    except ValueError as error:
        print(str(error).split("\n")[0].strip())
        #> Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'true'
        #> CachingAllocator option max_split_size_mb too small, must be >= 20
        #> garbage_collect_threshold is invalid, set it in (0.0, 1.0)
        #> For roundups, the divisions has to be power of 2

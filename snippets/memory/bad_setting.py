"""A bad setting raises at the first use, long after the import.

写错的设置要到第一次用到时才报错，导入时不报。
"""
# needs: torch>=2.12
# leaves: environment

import os

os.environ["PYTORCH_ALLOC_CONF"] = "garbage_collection_threshold:80"

import torch

print("imported")
#> imported
try:
    torch._C._accelerator_getAllocatorSettings()
except ValueError as error:
    print(str(error).split(",")[0])
    #> garbage_collect_threshold is invalid

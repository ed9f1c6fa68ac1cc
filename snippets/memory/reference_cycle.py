"""Objects that refer to each other wait for gc.collect().

互相引用的对象，要等 gc.collect() 才释放。
"""

import gc
import weakref

import torch


class Trainer:
    def __init__(self):
        self.buffer = torch.rand(8, 4)
        self.step = self.run

    def run(self):
        return self.buffer.sum()


trainer = Trainer()
ref = weakref.ref(trainer.buffer)

del trainer
print(ref() is not None)
#> True

gc.collect()
print(ref() is not None)
#> False

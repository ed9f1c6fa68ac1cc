"""`pickle.load` has no `map_location`; an Unpickler of your own gives it one.

`pickle.load` 没有 `map_location`，自己写的 Unpickler 可以补上。
"""

import io
import pickle

import torch


class Unpickler(pickle.Unpickler):
    """`_load_from_bytes` loads the tensors, which `torch.save` wrote."""

    # zh: `_load_from_bytes` 加载张量，它们由 `torch.save` 写出。

    def __init__(self, file, map_location):
        super().__init__(file)
        self.map_location = map_location

    def load_tensor(self, data):
        file = io.BytesIO(data)
        return torch.load(file, self.map_location, weights_only=False)

    def find_class(self, module, name):
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return self.load_tensor
        return super().find_class(module, name)


results = pickle.dumps({"epoch": 3, "scores": torch.tensor([0.5, 0.9])})

# zh: meta 只是为了看出 map_location 起了作用；没有 GPU 的电脑上写 "cpu"。
# en: meta shows that map_location is used; without a GPU, write "cpu".
for place in ("cpu", "meta"):
    print(Unpickler(io.BytesIO(results), place).load())
    #> {'epoch': 3, 'scores': tensor([0.5000, 0.9000])}
    #> {'epoch': 3, 'scores': tensor(..., device='meta', size=(2,))}

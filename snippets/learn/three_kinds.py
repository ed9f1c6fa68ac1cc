"""Same object, same numbers, or a copy: three kinds of result.

同一个对象、同一批数、一份拷贝：三种结果。
"""

import torch


def kind(new, old):
    if new is old:
        return "same object"
    same = new.untyped_storage().data_ptr()
    return "view" if same == old.untyped_storage().data_ptr() else "copy"


x = torch.ones(2, 3)
results = {
    'x.to("cpu")': x.to("cpu"),
    "x.float()": x.float(),
    "x[0]": x[0],
    "x.T": x.T,
    "x.detach()": x.detach(),
    "x.double()": x.double(),
    "x.clone()": x.clone(),
}
for text, result in results.items():
    print(text, "->", kind(result, x))
    #> x.to("cpu") -> same object
    #> x.float() -> same object
    #> x[0] -> view
    #> x.T -> view
    #> x.detach() -> view
    #> x.double() -> copy
    #> x.clone() -> copy

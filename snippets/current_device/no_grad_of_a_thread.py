"""`no_grad` belongs to a thread as well: a new one records gradients.

`no_grad` 也只属于一个线程：新线程照样记录梯度。
"""

import threading

import torch

weight = torch.ones(2, requires_grad=True)


def report(name):
    print(name, weight * weight)
    #> main thread: tensor([1., 1.])
    #> new thread: tensor([1., 1.], grad_fn=<MulBackward0>)


with torch.no_grad():
    report("main thread:")
    thread = threading.Thread(target=report, args=["new thread:"])
    thread.start()
    thread.join()

"""A thread has a current device of its own.

每个线程都有自己的当前设备。
"""
# needs: cuda:2

import threading

import torch


def work():
    torch.cuda.set_device(1)
    print("thread:", torch.cuda.current_device())
    #> thread: 1


thread = threading.Thread(target=work)
thread.start()
thread.join()
print("main:", torch.cuda.current_device())
#> main: 0

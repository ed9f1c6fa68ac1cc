"""A new thread starts on device 0, whichever the main thread has chosen.

新线程从 0 号设备开始，不管主线程选了哪块。
"""
# needs: cuda:2

import threading

import torch


def report(name):
    print(name, torch.ones(2, device="cuda"))
    #> main thread: tensor([1., 1.], device='cuda:1')
    #> new thread: tensor([1., 1.], device='cuda:0')


torch.cuda.set_device(1)
report("main thread:")

thread = threading.Thread(target=report, args=["new thread:"])
thread.start()
thread.join()

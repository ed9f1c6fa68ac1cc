"""The default device belongs to one thread: a new one starts at the CPU.

默认设备只属于一个线程：新线程从 CPU 开始。
"""

import threading

import torch


def report(name):
    print(f"{name}: {torch.ones(1).device}")
    #> main thread: meta
    #> new thread: cpu


torch.set_default_device("meta")
report("main thread")

thread = threading.Thread(target=report, args=["new thread"])
thread.start()
thread.join()

torch.set_default_device(None)

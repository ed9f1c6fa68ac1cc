"""A new thread starts on the default stream, whatever the main thread chose.

新线程从默认流开始，主线程选了哪个流都一样。
"""
# needs: cuda
# simulated: no

import threading

import torch

side = torch.cuda.Stream()
seen = []


def look():
    seen.append(torch.cuda.current_stream())


with torch.cuda.stream(side):
    print("main on side:", torch.cuda.current_stream() == side)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

print("thread on side:", seen[0] == side)
print("thread on default:", seen[0] == torch.cuda.default_stream())

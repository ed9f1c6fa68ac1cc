"""A queue in a few lines: who puts a task in does not wait for it.

用几行代码模拟队列：放进任务的人，不等任务做完。
"""

from collections import deque

queue = deque()


def launch(name):
    queue.append(name)
    print("CPU: queued", name)
    #> CPU: queued multiply
    #> CPU: queued add


def synchronize():
    while queue:
        print("GPU: did", queue.popleft())
        #> GPU: did multiply
        #> GPU: did add


launch("multiply")
launch("add")
print("CPU: reads the clock")
#> CPU: reads the clock
synchronize()
print("CPU: reads the result")
#> CPU: reads the result

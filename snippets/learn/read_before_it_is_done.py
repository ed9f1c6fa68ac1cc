"""Reading a result carries out what is still in the queue.

读结果之前，先把队列里的任务做完。
"""

from collections import deque

queue, memory = deque(), {"x": 3}


def launch(name, function):
    queue.append((name, function))


def read(name):
    while queue:
        target, function = queue.popleft()
        memory[target] = function()
    return memory[name]


launch("y", lambda: memory["x"] * 2)
launch("z", lambda: memory["y"] + 1)
print(len(queue), sorted(memory))
#> 2 ['x']
print(read("z"))
#> 7
print(len(queue), sorted(memory))
#> 0 ['x', 'y', 'z']

"""A GPU on paper: the same two remedies in either order.

纸上的 GPU：同样两个办法，先后不同。
"""

LOAD, COMPUTE = 7, 3


def step(workers, speedup):
    compute = COMPUTE / speedup
    # zh: 每一步都读损失，没有工作进程就只能轮流；有的话由慢的一方决定。
    # en: It reads the loss in each step: without workers they take turns,
    #   with them the slower one decides.
    return max(LOAD / workers, compute) if workers else LOAD + compute


print("as it is:             ", step(workers=0, speedup=1))
#> as it is:              10.0
print("only compute faster:  ", step(workers=0, speedup=2))
#> only compute faster:   8.5
print("only data in advance: ", step(workers=4, speedup=1))
#> only data in advance:  3.0
print("both:                 ", step(workers=4, speedup=2))
#> both:                  1.75

"""A step loads for 7 units and computes for 3: how busy is the GPU?

一步读数据用 7，计算用 3：GPU 有多忙？
"""

LOAD, COMPUTE = 7, 3

print(f"one after the other: {COMPUTE / (LOAD + COMPUTE):.0%}")
#> one after the other: 30%
print(f"a GPU twice as fast: {COMPUTE / 2 / (LOAD + COMPUTE / 2):.0%}")
#> a GPU twice as fast: 18%
for processes in (1, 2, 3):
    # zh: 边读边算时，一步的时间由慢的一方决定。
    # en: Side by side, the slower of the two decides how long a step is.
    step = max(LOAD / processes, COMPUTE)
    print(f"{processes} loading meanwhile: {COMPUTE / step:.0%}")
    #> 1 loading meanwhile: 43%
    #> 2 loading meanwhile: 86%
    #> 3 loading meanwhile: 100%

"""Twice the rows and columns: more work, and more bytes.

行数和列数都翻倍：运算和字节各增加几倍。
"""


def operations(n):
    return 2 * n**3


def moved(n):
    return 3 * n**2 * 4


print(operations(2000) / operations(1000))
#> 8.0
print(moved(2000) / moved(1000))
#> 4.0

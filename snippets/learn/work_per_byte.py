"""How much work a matrix product does for each byte that it reads or writes.

矩阵乘法每读写一个字节，要做多少次运算。
"""

for n in (10, 100, 1000):
    operations = 2 * n**3
    # zh: 读两个矩阵，写一个，每个数 4 字节。
    # en: Two matrices are read, one is written, at 4 bytes a number.
    moved = 3 * n**2 * 4
    print(f"{n:4} rows: {operations / moved:6.1f} operations per byte")
    #>   10 rows:    1.7 operations per byte
    #>  100 rows:   16.7 operations per byte
    #> 1000 rows:  166.7 operations per byte

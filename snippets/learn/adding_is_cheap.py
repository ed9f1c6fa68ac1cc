"""How much work adding two vectors is for each byte that is read or written.

两个向量相加，每读写一个字节要做多少次运算。
"""

for n in (10, 1000, 100_000):
    operations = n
    moved = 3 * n * 4
    print(f"{n:6} numbers: {operations / moved:.3f} operations per byte")
    #>     10 numbers: 0.083 operations per byte
    #>   1000 numbers: 0.083 operations per byte
    #> 100000 numbers: 0.083 operations per byte

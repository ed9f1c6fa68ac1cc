"""A matrix product reads each number many times; tiles make that cheap.

矩阵乘法要反复读同样的数，分块以后就便宜了。
"""

N = 4096
BYTES = 2
BYTES_PER_SECOND = 1555e9
FLOPS_PER_SECOND = 312e12

# zh: 每个结果要读一行和一列。边长为 tile 的一块结果共用读进来的数。
# en: Each result needs a row and a column; a tile shares what is read.
for tile in (1, 16, 128):
    read = 2 * N * (N / tile) * N * BYTES
    print(f"tile {tile}: reading takes {read / BYTES_PER_SECOND * 1e3:.2f} ms")
    #> tile 1: reading takes 176.77 ms
    #> tile 16: reading takes 11.05 ms
    #> tile 128: reading takes 1.38 ms

print(f"calculating takes {2 * N**3 / FLOPS_PER_SECOND * 1e3:.2f} ms")
#> calculating takes 0.44 ms

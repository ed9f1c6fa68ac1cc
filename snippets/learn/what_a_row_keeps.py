"""How many bytes does one row keep alive?

一行数据占着多少字节不放？
"""

import torch

table = torch.zeros(1000, 100)
row = table[0]
print(row.nbytes, row.untyped_storage().nbytes())
#> 400 400000
own = row.clone()
print(own.nbytes, own.untyped_storage().nbytes())
#> 400 400

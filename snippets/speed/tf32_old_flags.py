"""Old and new TF32 settings do not mix: use one kind.

TF32 的新旧设置不能混用：只用一种。
"""

import torch

matmul = torch.backends.cuda.matmul

# zh: 用旧的设置，新的会跟着变。
# en: The old setting also changes the new one.
matmul.allow_tf32 = True
print(matmul.fp32_precision, torch.get_float32_matmul_precision())
#> tf32 high

torch.set_float32_matmul_precision("highest")
print(matmul.fp32_precision, matmul.allow_tf32)
#> ieee False

# zh: 反过来，设了新的，再读旧的就报错。
# en: Not the other way round: after the new one, reading the old raises.
matmul.fp32_precision = "tf32"
try:
    print(matmul.allow_tf32)
except RuntimeError as error:
    print("mix of the legacy and new APIs" in str(error))
    #> True

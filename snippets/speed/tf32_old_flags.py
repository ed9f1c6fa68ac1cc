"""Old and new TF32 settings do not mix: use one kind.

TF32 的新旧设置不能混用：只用一种。
"""

import torch

matmul = torch.backends.cuda.matmul


def old_settings():
    for name, read in (
        ("allow_tf32", lambda: matmul.allow_tf32),
        ("precision", torch.get_float32_matmul_precision),
    ):
        try:
            print(f"{name}: {read()}")
            #> allow_tf32: True
            #> precision: high
            #> allow_tf32: True
            #> precision: high
        except RuntimeError as error:
            assert "mix of the legacy and new APIs" in str(error)
            print(f"{name}: RuntimeError")


# zh: 用旧的设置，新旧两种都读得出来。
# en: After an old setting, both kinds can be read.
torch.set_float32_matmul_precision("high")
print("fp32_precision:", matmul.fp32_precision)
#> fp32_precision: tf32
old_settings()

# zh: 用新的设置之后，读旧的就报错。
# en: After a new setting, reading an old one raises.
matmul.fp32_precision = "tf32"
print("fp32_precision:", matmul.fp32_precision)
#> fp32_precision: tf32
old_settings()

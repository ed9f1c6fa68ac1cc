"""A prompt keeps the last value that it showed: in `_`, in `Out[]`.

交互环境留着上一次显示的值：在 `_` 里，在 Jupyter 的 `Out[]` 里。
"""

import builtins
import contextlib
import io
import sys
import weakref

import torch

x = torch.rand(8, 4)
ref = weakref.ref(x)

# zh: 在提示符后单独写一个 x，解释器就调用 displayhook。
# en: A bare x at the prompt makes the interpreter call displayhook.
with contextlib.redirect_stdout(io.StringIO()):
    sys.displayhook(x)

del x
print(ref() is not None, builtins._ is ref())
#> True True

builtins._ = None
print(ref() is not None)
#> False

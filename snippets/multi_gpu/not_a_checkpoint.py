"""`Unsupported operand 10`, `60`, `118`: the file is no checkpoint at all.

`Unsupported operand 10`、`60`、`118`：这个文件根本不是检查点。
"""

import io
from pickle import UnpicklingError

import torch

# zh: 一个网页，前面有空行的网页，Git LFS 的指针文件。
# en: A web page, one behind an empty line, a pointer file of Git LFS.
files = [b"<!DOCTYPE html>", b"\n<html>", b"version https://git-lfs"]
for content in files:
    try:
        torch.load(io.BytesIO(content))
    except UnpicklingError as error:
        # zh: 数字就是第一个字节。
        # en: The number is the first byte.
        number = int(str(error).split("Unsupported operand ")[1].split()[0])
        print(number, repr(chr(number)), content)
        #> 60 '<' b'<!DOCTYPE html>'
        #> 10 '\n' b'\n<html>'
        #> 118 'v' b'version https://git-lfs'

# zh: 没有下载完的文件。
# en: A download that did not finish.
whole = io.BytesIO()
torch.save(torch.ones(50_000), whole)
try:
    torch.load(io.BytesIO(whole.getvalue()[:100_000]))
except RuntimeError as error:
    print(str(error).split(":")[0])
    #> PytorchStreamReader failed reading zip archive

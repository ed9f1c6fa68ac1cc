"""Names of code in running text that are not in code font.

Only what is code beyond doubt is found, so a package such as llama.cpp or the compiler nvcc may
stand in the text as words do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MASKED = re.compile(
    r"`[^`]*`|https?://\S+|(?:[\w-]+\.)+(?:com|org|net|io|cn|dev|ai|co)\b[\w./#-]*"
)
_CODE = re.compile(
    r"""(?<![\w./-])(?:
      [A-Za-z_][\w.]*\(\)                            # backward()
    | [A-Za-z]\w*_\w+                                # pin_memory, CUDA_HOME
    | --[a-z][\w-]+                                  # --index-url
    | (?:torch|nn|np|os|sys)\.[A-Za-z_]\w*           # torch.compile
    | (?:nvidia-smi|torchrun|ldconfig)(?![\w-])
    | (?:True|False)\b
    | (?<=[a-z,:\u3400-\u9fff][ ])None\b(?![ ]of)    # at the beginning of a sentence it is a word
    )""",
    re.VERBOSE,
)


def bare(text: str) -> Iterator[str]:
    """The names of code that stand outside of backquotes."""
    yield from _CODE.findall(_MASKED.sub(" ", text))

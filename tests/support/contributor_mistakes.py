"""Seventy mistakes that a contributor makes, and who tells them.

MISTAKES are told by `make check`: each is planted in the small guide GUIDE by test_mistakes.py.
ELSEWHERE are those that only running tells, with the test that shows it. UNTOLD nobody tells.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu_guide.records.store import Entry, Record
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import Printed

GUIDE = {
    "snippets/check/memory.py": '''"""How much memory a tensor takes.

一个张量占多少内存。
"""

import torch

# zh: 三个数，每个八字节。
# en: Three numbers of eight bytes each.
x = torch.arange(3)

print(x.nbytes)
#> 24
''',
    "snippets/check/speed.py": '''"""How long a sum takes.

一次求和要多久。
"""
# measures: yes

import time

import torch

for n in (10, 100):
    start = time.perf_counter()
    torch.ones(n).sum()
    print(f"{n} {time.perf_counter() - start:.6f} s")
''',
    "data/addresses.yml": """index:
check/memory:
labs/tour:
check/tensors: check/memory
""",
    "data/glossary.yml": """- en: tensor
  zh: 张量
  topic: Tensors
  keep_english: false

- en: barrier
  zh: 屏障
  topic: Distributed
  keep_english: false
  wrong: [路障]
""",
    "data/plots.yml": """- name: check/speed
  snippet: check/speed
  kind: lines
  line: '(?P<x>\\d+) (?P<s>\\S+) s'
  series:
    - {key: s, zh: 用时, en: time}
  zh: {title: 求和的用时, x: 元素个数, y: 秒}
  en: {title: Time of a sum, x: elements, y: seconds}
""",
    "labs/tour.py": """# minutes: 10
# colab: yes

# %% setup
import torch

x = torch.arange(3)
print(x)
""",
    "docs/zh/index.md": """---
title: 首页
description: 一个小小的指南，只给测试用，什么也不教。
---

# 首页

这是一个小小的指南。先看[内存](check/memory.md#bytes)，再做实验。
""",
    "docs/en/index.md": """---
title: Home
description: A small guide for the tests alone, which teaches nothing.
---

# Home

This is a small guide. See [memory](check/memory.md#bytes) first, and then the lab.
""",
    "docs/zh/check/memory.md": """---
title: 内存
description: 一个张量占多少内存，怎么看出来，又要多久。
---

# 内存

一个张量占用的内存等于元素个数乘以每个元素的字节数。

## 字节 { #bytes }

下面创建三个整数，所以一共是二十四字节。

```snippet
check/memory
```

!!! note "提示"

    用下面的命令看 GPU。

    ```bash
    nvidia-smi
    ```

## 用时 { #time }

求和要多久，和元素的个数有关。

```snippet
check/speed
```

```plot
check/speed
```

| 元素 | 字节 |
| --- | --- |
| 3 | 24 |

```text
RuntimeError: out of memory
```
""",
    "docs/en/check/memory.md": """---
title: Memory
description: How much memory a tensor takes, how to see it, and how long it takes.
---

# Memory

The memory of a tensor is the number of its elements times the bytes of each.

## Bytes { #bytes }

The code below creates three integers, so they take 24 bytes.

```snippet
check/memory
```

!!! note "Note"

    This command shows the GPU.

    ```bash
    nvidia-smi
    ```

## Time { #time }

How long a sum takes depends on the number of elements.

```snippet
check/speed
```

```plot
check/speed
```

| Elements | Bytes |
| --- | --- |
| 3 | 24 |

```text
RuntimeError: out of memory
```
""",
    "docs/zh/labs/tour.md": """---
title: 一次实验
description: 一个小小的实验，只给测试用，什么也不教。
---

# 一次实验

先创建一个张量，再看它的值。

```cell
tour/setup
```
""",
    "docs/en/labs/tour.md": """---
title: A tour
description: A small lab for the tests alone, which teaches nothing either.
---

# A tour

Create a tensor first, and then look at its values.

```cell
tour/setup
```
""",
    "mkdocs.yml": """site_name: 指南
docs_dir: docs/zh
nav:
  - 首页: index.md
  - 检查:
      - check/memory.md
  - 实验:
      - labs/tour.ipynb
""",
    "mkdocs.en.yml": """INHERIT: mkdocs.yml
site_name: Guide
docs_dir: docs/en
nav:
  - Home: index.md
  - Checks:
      - check/memory.md
  - Labs:
      - labs/tour.ipynb
""",
    "records/simulated.json": '{\n "snippets": {}\n}\n',
}
"""The files of a guide in which nothing is wrong; the table of wheels and the words are ours."""

RECORD = Record(
    Environment(
        id="no-gpu",
        gpu="",
        gpus=0,
        driver="",
        cuda="",
        torch="2.13.0+cpu",
        python="3.12.1",
        system="Linux x86_64",
        date="2026-11-21",
    ),
    {"check/speed": Entry("0" * 64, (Printed(0, "10 0.000009 s"),), 0.1)},
)
"""What a machine printed, of code that has changed since."""


@dataclass(frozen=True)
class Mistake:
    """Edits (file, old, new), and what is told where; no old is a new file, no new a lost one."""

    edits: tuple[tuple[str, str | None, str | None], ...]
    where: str
    """How the message begins: file and line."""
    says: str
    by_a_tool: bool = False
    """Whether ruff, rumdl or codespell tells it."""
    in_line: tuple[str, ...] = ()
    """Pages that the contributor says are in line: those that are not are only known to be so."""


def _edit(file: str, old: str | None, new: str | None, line: int, says: str, **more) -> Mistake:
    return Mistake(((file, old, new),), f"{file}:{line}:" if line else file, says, **more)


def _snippet(old: str, new: str, line: int, says: str, **more) -> Mistake:
    return _edit("snippets/check/memory.py", old, new, line, says, **more)


def _en(old: str, new: str, line: int, says: str, **more) -> Mistake:
    return _edit("docs/en/check/memory.md", old, new, line, says, **more)


def _zh(old: str, new: str, line: int, says: str, **more) -> Mistake:
    return _edit("docs/zh/check/memory.md", old, new, line, says, **more)


def _halves(old: str, new: str, line: int, says: str, told_in: str = "zh") -> Mistake:
    """An edit of the English half whose halves are then said to be in line."""
    page = "check/memory.md"
    where = f"docs/{told_in}/{page}:{line}:"
    return Mistake(((f"docs/en/{page}", old, new),), where, says, in_line=(page,))


_X = "x = torch.arange(3)\n"
_LAST = "RuntimeError: out of memory\n"

MISTAKES: dict[str, Mistake] = {
    # --- the snippet's form
    "no docstring": _snippet(
        '"""How much memory a tensor takes.\n\n一个张量占多少内存。\n"""\n', "", 1, "no docstring"
    ),
    "a title in one language": _snippet(
        "\n\n一个张量占多少内存。", "", 1, "not a title in English"
    ),
    "a syntax error": _snippet(_X, "x = torch.arange(3\n", 10, "not valid Python"),
    "a comment in one language": _snippet(
        "# en: Three numbers of eight bytes each.\n", "", 8, "without '# en:'"
    ),
    "a comment of no language": _snippet("# zh: 三个数，", "# 三个数，", 8, "in one language"),
    "a comment behind code": _snippet(
        _X, "x = torch.arange(3)  # three\n", 10, "a comment behind code"
    ),
    "an English comment marked as Chinese": _snippet(
        "三个数，每个八字节。", "Three.", 8, "not Chinese"
    ),
    "an unknown need": _snippet('"""\n\nimport', '"""\n# needs: gpu\n\nimport', 5, "unknown need"),
    "an unknown data line": _snippet(
        '"""\n\nimport', '"""\n# need: cuda\n\nimport', 5, "not a data line"
    ),
    "a data line twice": _snippet(
        '"""\n\nimport', '"""\n# needs: cuda\n# needs: linux\n\nimport', 6, "'# needs:' again"
    ),
    "a data line away from the top": _snippet(
        _X, f"# needs: cuda\n{_X}", 10, "a data line away from the top"
    ),
    "an output typed where nothing prints": _snippet(
        _X, f"{_X}#> tensor\n", 11, "an output where nothing prints"
    ),
    "an output in a file that measures": _edit(
        "snippets/check/speed.py",
        ':.6f} s")\n',
        ':.6f} s")\n    #> 10 0.1 s\n',
        15,
        "only recorded",
    ),
    "an output out of line": _snippet("#> 24", "  #> 24", 13, "not in line with its print"),
    "a wide line": _snippet(_X, f"x = torch.arange({'1 + ' * 16}3)\n", 10, "columns wide"),
    "code that black lays out otherwise": _snippet(
        _X, "x = torch.arange( 3 )\n", 10, "black writes 'x = torch.arange(3)' here"
    ),
    "a tab": _snippet(_X, "if True:\n\tx = torch.arange(3)\n", 11, "a tab"),
    "a foreign import": _snippet(
        "import torch\n", "import torch\nimport torchvision\n", 7, "imports 'torchvision'"
    ),
    "a relative import": _snippet(
        "import torch\n", "import torch\nfrom . import speed\n", 7, "imports '.'"
    ),
    "an import through a string": _snippet(
        "import torch\n",
        'import importlib\n\nimport torch\n\nimportlib.import_module("pandas")\n',
        10,
        "imports 'pandas'",
    ),
    "an import through a built-in": _snippet(
        _X, f'{_X}__import__("torchvision")\n', 11, "imports 'torchvision'"
    ),
    "nothing printed, nothing asserted": _snippet(
        "\nprint(x.nbytes)\n#> 24\n", "", 10, "prints nothing and asserts nothing"
    ),
    "an unused import": _snippet(
        "import torch\n", "import math\n\nimport torch\n", 6, "F401", by_a_tool=True
    ),
    "unsorted imports": _snippet(
        "import torch\n", "import torch\nimport time\n\ntime.time()\n", 6, "I001", by_a_tool=True
    ),
    "a name that is not defined": _snippet(
        "print(x.nbytes)", "print(y.nbytes)", 12, "F821", by_a_tool=True
    ),
    "line ends of Windows": _snippet("import torch\n", "import torch\r\n", 6, "CRLF"),
    "a byte order mark": _snippet('"""How', '\ufeff"""How', 1, "byte order mark"),
    "a snippet that no page shows": _edit(
        "snippets/check/other.py", None, GUIDE["snippets/check/memory.py"], 1, "no page shows"
    ),
    "a snippet left as begun": _snippet(
        "How much memory a tensor takes.", "TODO What it shows.", 1, "unfinished: 'TODO'"
    ),
    # --- the page
    "a misspelled snippet": _en("check/memory\n", "check/memroy\n", 16, "did you mean"),
    "an unknown option": _en(
        "check/memory\n", "check/memory\nlines: 1-3\n", 17, "may be there: show: download"
    ),
    "a fence of Python": _en("```bash\n", "```python\n", 23, "a fence of 'python'"),
    "Python in a fence of text": _en(
        _LAST, "x = torch.arange(3)\nprint(x)\n", 44, "Python in a fence of 'text'"
    ),
    "a Python program in a fence of a shell": _en(
        "nvidia-smi\n", "with torch.no_grad():\n        y = x\n", 24, "Python in a fence of 'bash'"
    ),
    "a fence of no language": _en("```text", "```", 43, "a fence without a language"),
    "a fence that never ends": _en(f"{_LAST}```\n", _LAST, 43, "a fence that never ends"),
    "words behind a fence's kind": _en(
        "```snippet\ncheck/memory", '```snippet title="x"\ncheck/memory', 15, "write ```snippet"
    ),
    "code by indentation": _en("## Time", "Code.\n\n    x = 1\n\n## Time", 29, "by indentation"),
    "a heading without an id": _en("## Time { #time }", "## Time", 27, "no id: 'Time'"),
    "an id used twice": _en("{ #time }", "{ #bytes }", 27, "again, first on line 11"),
    "a second first-level heading": _en("## Time", "# Time", 27, "a second first-level heading"),
    "a dead link": _edit(
        "docs/en/index.md", "(check/memory.md", "(check/memry.md", 9, "no such file"
    ),
    "a link to a term that nothing explains": _edit(
        "docs/en/index.md", "(check/memory.md#bytes", "(term:tensr", 9, "no term 'tensr'"
    ),
    "a dead anchor": _edit("docs/en/index.md", "#bytes", "#byte", 9, "did you mean 'bytes'"),
    "a link into the other language": _edit(
        "docs/en/index.md", "(check/", "(../zh/check/", 9, "a link out of"
    ),
    "a link called here": _edit("docs/en/index.md", "[memory]", "[here]", 9, "called 'here'"),
    "a picture without a text": _edit(
        "docs/en/index.md", "[memory]", "![](x.svg) [memory]", 9, "no alternative text"
    ),
    "a picture from another site": _edit(
        "docs/en/index.md", "[memory]", "![x](https://x.example/y.png) [memory]", 9, "another site"
    ),
    "a script from another site": _edit(
        "docs/en/index.md",
        "# Home",
        '# Home\n\n<script src="//x.example/y.js"></script>',
        9,
        "another site",
    ),
    "something left to do": _en("How long", "TODO How long", 29, "unfinished: 'TODO'"),
    "front matter that is no YAML": _en("title: Memory", "title: [Memory", 3, "not YAML"),
    "no description": _en("description: How", "about: How", 1, "no description"),
    "a description too short": _en(
        " a tensor takes, how to see it, and how long it takes.", ".", 3, "a description of"
    ),
    "the description of another page": Mistake(
        (
            (
                "docs/en/check/memory.md",
                "How much memory a tensor takes, how to see it, and how long it takes.",
                "A small guide for the tests alone, which teaches nothing.",
            ),
        ),
        "docs/en/index.md:3:",
        "the description of docs/en/check/memory.md again",
    ),
    "a plot that does not exist": _en("```plot\ncheck/speed", "```plot\ncheck/sped", 36, "no plot"),
    "a table that does not exist": _en(
        "```plot\ncheck/speed", "```table\nwheels/all", 36, "no table 'wheels/all'"
    ),
    "a name in wrong letters": _en("shows the GPU", "shows cuda", 21, "MD044", by_a_tool=True),
    "a list with other marks": _en(
        "## Time", "* One\n* Two\n\n## Time", 27, "MD004", by_a_tool=True
    ),
    "a typing error": _en("The memory of", "Teh memory of", 9, "write The", by_a_tool=True),
    "Chinese on an English page": _en("This command", "This 命令", 21, "Chinese on a page in"),
    "an admonition of no kind": _en("!!! note", "!!! notice", 19, "no kind: 'notice'"),
    "a key twice in the front matter": _en(
        "title: Memory", "title: Memory\ntitle: Memory", 3, "key 'title' twice, first on line 2"
    ),
    "a link whose address is mistyped": _edit(
        "docs/en/index.md", "(check/memory.md", "(htps://e.org/memory.md", 9, "begins with 'htps:'"
    ),
    "Chinese punctuation on an English page": _en("24 bytes.", "24 bytes。", 13, "punctuation"),
    "a byte order mark on a page": _en("---\ntitle", "\ufeff---\ntitle", 1, "byte order mark"),
    "a character that nobody sees": _en("The code", "The\u200b code", 13, "U+200B"),
    # --- files
    "a page in capitals": _edit("docs/en/check/Other.md", None, "# Other\n", 0, "named 'Other.md'"),
    "a snippet with a hyphen": _edit(
        "snippets/check/my-own.py", None, GUIDE["snippets/check/memory.py"], 0, "named 'my-own.py'"
    ),
    "a snippet of no topic": _edit(
        "snippets/own.py", None, GUIDE["snippets/check/memory.py"], 0, "a snippet of no topic"
    ),
    "a copied title": _edit(
        "snippets/check/own.py",
        None,
        GUIDE["snippets/check/memory.py"],
        1,
        "the title of check/memory again",
    ),
    "a file that nothing reads": _edit(
        "snippets/check/numbers.csv", None, "1\n", 0, "nothing in snippets/ is made"
    ),
    "a page of another kind of Markdown": _edit(
        "docs/en/check/own.markdown", None, "# Own\n", 0, "nothing in docs/ is made"
    ),
    "a huge picture": _edit("docs/en/check/x.png", None, "x" * 600_000, 0, "585 KiB"),
    "a picture that no page shows": _edit("docs/en/check/x.svg", None, "<svg/>", 0, "no page"),
    "line ends of Windows in the settings": _edit(
        "mkdocs.yml", "site_name: 指南\n", "site_name: 指南\r\n", 1, "CRLF"
    ),
    "a byte order mark in data": _edit(
        "data/plots.yml", "- name", "\ufeff- name", 1, "byte order mark"
    ),
    # --- both halves
    "a heading less": _halves("## Time { #time }\n\n", "", 27, "heading 3 differs"),
    "another snippet": _halves("```snippet\ncheck/speed\n```\n\n", "", 31, "snippet 2 differs"),
    "another table": _halves("| 3 | 24 |\n", "| 3 | 24 |\n| 4 | 32 |\n", 39, "block 2 differs"),
    "another admonition": _halves("!!! note", "!!! tip", 19, "block 1 differs"),
    "a section that one language leaves out": _halves(
        "How long a sum takes depends on the number of elements.\n\n",
        "",
        27,
        "a section without a sentence",
        "en",
    ),
    "a forgotten `make twin`": Mistake(
        (("docs/en/check/memory.md", "The code below", "This code"),),
        "docs/zh/check/memory.md",
        "gpu_guide twin check/memory",
    ),
    # --- navigation
    "a page in no nav": Mistake(
        tuple(
            (name, "      - check/memory.md\n", "      - index.md\n")
            for name in ("mkdocs.yml", "mkdocs.en.yml")
        ),
        "docs/zh/check/memory.md:1:",
        "not in the nav of mkdocs.yml",
    ),
    "a page in the nav of one language": Mistake(
        (("mkdocs.en.yml", "  - Home: index.md\n", ""),),
        "docs/en/index.md:1:",
        "not in the nav of mkdocs.en.yml (it is in mkdocs.yml)",
    ),
    "another order in the other nav": _edit(
        "mkdocs.en.yml",
        "  - Home: index.md\n  - Checks:\n      - check/memory.md\n",
        "  - Checks:\n      - check/memory.md\n  - Home: index.md\n",
        6,
        "'check/memory.md' stands where mkdocs.yml has 'index.md'",
    ),
    "another section in the other nav": _edit(
        "mkdocs.en.yml", "  - Checks:\n      - ", "  - ", 6, "in another section than in mkdocs.yml"
    ),
    "a nav entry without a page": _edit(
        "mkdocs.yml", "memory.md\n", "memory.md\n      - check/gone.md\n", 7, "no page"
    ),
    # --- addresses
    "a page whose address is not noted": Mistake(
        (("data/addresses.yml", "labs/tour:\n", ""),),
        "docs/zh/labs/tour.md:1:",
        "not noted in data/addresses.yml",
    ),
    "a renamed page without a redirect": _edit(
        "data/addresses.yml", "index:\n", "index:\nhome:\n", 2, "'home' was public"
    ),
    "a redirect that leads nowhere": _edit(
        "data/addresses.yml", "tensors: check/memory", "tensors: check/memroy", 4, "'check/memroy'"
    ),
    "a redirect away from a page": _edit(
        "data/addresses.yml", "labs/tour:", "labs/tour: index", 3, "leads to another one"
    ),
    # --- Chinese
    "half-width punctuation": _zh("要多久，和", "要多久,和", 29, "Z01"),
    "no space beside Latin letters": _zh("看 GPU", "看GPU", 21, "Z11"),
    "full-width brackets around an address": _edit(
        "docs/zh/index.md", "(check/memory.md#bytes)", "（check/memory.md#bytes）", 9, "Z21"
    ),
    "a word that the glossary refuses": _zh("张量占用", "张量的路障占用", 9, "Z17"),
    "a term left in English": _zh("一个张量占用", "一个 tensor 占用", 9, "Z20"),
    "a sentence left in English": _zh(
        "求和要多久，和元素的个数有关。",
        "How long a sum takes depends on the number of elements.",
        29,
        "an English sentence on a Chinese page",
    ),
    "a broken Chinese paragraph": _zh("所以一共", "\n所以一共", 14, "Z14"),
    "Chinese comments set wrongly": _snippet("三个数，每个", "3个数，每个", 8, "Z11"),
    # --- data, labs, records
    "a key that a plot does not have": _edit(
        "data/plots.yml", "kind: lines", "sort: lines", 1, "unknown key 'sort'"
    ),
    "a plot of no snippet": _edit(
        "data/plots.yml", "snippet: check/speed", "snippet: check/sped", 0, "no snippet"
    ),
    "a plot of a snippet that does not measure": _edit(
        "data/plots.yml", "snippet: check/speed", "snippet: check/memory", 0, "measures nothing"
    ),
    "a lab that imports something else": _edit(
        "labs/tour.py", "import torch\n", "import pandas\nimport torch\n", 5, "imports 'pandas'"
    ),
    "a comment in a lab": _edit("labs/tour.py", "print(x)\n", "print(x)  # it\n", 8, "comment"),
    "a cell that does not exist": _edit(
        "docs/en/labs/tour.md", "tour/setup", "tour/setpu", 11, "tour/setpu"
    ),
    "a notebook older than its lab": Mistake(
        (("labs/tour.py", "arange(3)", "arange(4)"),),
        "docs/zh/labs/tour.ipynb:1:",
        "not the code of labs/tour.py",
    ),
    "a record of another form": _edit(
        "records/no-gpu.json", '"gpus": 0', '"gpus": "none"', 0, "environment.gpus"
    ),
    "a recorded output edited by hand": Mistake(
        (("records/no-gpu.json", "0.000009", "0.000001"),),
        "records/no-gpu.json:snippets['check/speed']:",
        "changed since it was recorded",
    ),
    "a recorded machine edited by hand": Mistake(
        (("records/no-gpu.json", '"gpu": ""', '"gpu": "NVIDIA H100"'),),
        "records/no-gpu.json:environment:",
        "changed since it was recorded",
    ),
    "a page whose other half is gone": Mistake(
        (("docs/en/check/memory.md", "", None),), "docs/zh/check/memory.md:4:", "its other half"
    ),
}

_COMPARED = "tests/test_pytest_plugin.py::test_each_file_passes_or_fails_and_is_counted_by_tier"
_MANNERS = "tests/run/test_side_effects.py::test_a_bad_manner_is_a_failure"
_HOME = "tests/run/test_side_effects.py::test_what_is_left_at_home_is_seen_where_home_is_another"
_CONDITIONS = "tests/run/test_side_effects.py::test_output_that_depends_on_conditions_is_told"

ELSEWHERE: dict[str, str] = {
    "an output that was typed": _COMPARED,
    "network access": _MANNERS,
    "network access whose failure is caught": _MANNERS,
    "a file left in the working folder": _MANNERS,
    "a file left in the temporary folder": _MANNERS,
    "a file left at home": _HOME,
    "an environment variable left set": _MANNERS,
    "the number of threads left changed": _MANNERS,
    "gigabytes of memory": _MANNERS,
    "minutes of computing": _MANNERS,
    "a sleep": _MANNERS,
    "an output that depends on the number of threads": _CONDITIONS,
    "an output that depends on the hash seed": _CONDITIONS,
    "unseeded random numbers": _CONDITIONS,
    "an output that depends on the working folder": _CONDITIONS,
}
"""What only running tells, and the test that shows that it is told."""

UNTOLD: dict[str, str] = {
    "a link to a site that is gone": "nothing outside is asked: the checks run without a network",
}
"""What nobody tells, and why."""

"""Read the driver's Xid lines: which GPU, which number, what to do.

读驱动的 Xid 日志：哪块卡，什么编号，该怎么办。
"""

import re

log = """
[May 4 02:11:09] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python, Ch 8
[May 4 02:11:09] NVRM: Xid (PCI:0000:3b:00): 43, pid=4711, name=python, Ch 8
[May 5 17:40:52] NVRM: Xid (PCI:0000:86:00): 63, Row Remapper: new row marked
[May 5 17:40:52] NVRM: Xid (PCI:0000:86:00): 94, pid=6021, name=python
[May 6 09:02:30] NVRM: Xid (PCI:0000:af:00): 79, GPU has fallen off the bus.
"""

# zh: 分类依据 NVIDIA 自己的对照表；这里只列常见的编号。
# en: Grouped as NVIDIA's own table has them; only common numbers are here.
ACTIONS = {
    "restart the program": {13, 31, 32, 69, 94},
    "see the lines before it": {43, 44, 45},
    "nothing now, count them": {63, 92},
    "reset the GPU": {46, 48, 62, 64, 95, 109, 119, 120},
    "restart the machine": {79},
}
LINE = re.compile(r"Xid \(PCI:(?P<address>[\w:.]+)\): (?P<number>\d+)")

for line in log.strip().splitlines():
    # zh: grep 出来的行里，有的没有 Xid 编号。
    # en: Some of the lines that grep finds have no Xid number.
    if not (match := LINE.search(line)):
        continue
    number = int(match["number"])
    known = [what for what, numbers in ACTIONS.items() if number in numbers]
    print(match["address"], number, *known or ["look it up"], sep=", ")
    #> 0000:3b:00, 31, restart the program
    #> 0000:3b:00, 43, see the lines before it
    #> 0000:86:00, 63, nothing now, count them
    #> 0000:86:00, 94, restart the program
    #> 0000:af:00, 79, restart the machine

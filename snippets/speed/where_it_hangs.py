"""A program hangs: have Python write where it is.

程序卡住了：让 Python 写出停在哪里。
"""

import faulthandler
import tempfile
import time


def never_ends():
    time.sleep(1.0)


with tempfile.TemporaryFile("w+") as report:
    # zh: 到时间还没取消，就写出每个线程的调用栈，程序继续运行。
    # en: Unless cancelled in time it writes the stack of every thread; the
    #   program goes on.
    faulthandler.dump_traceback_later(0.3, file=report)
    never_ends()
    faulthandler.cancel_dump_traceback_later()
    report.seek(0)
    lines = report.read().splitlines()

print(lines[0].split("!")[0])
#> Timeout (0:00:00.300000)
print(any("in never_ends" in line for line in lines))
#> True

"""How a process on a stand-in GPU ends."""

from __future__ import annotations

from stand_in_calls import said

END = """
import ctypes, os

class AtTheEnd:
    def __del__(self, os=os, open=open, c=ctypes.CDLL(None), to=ctypes.byref(ctypes.c_ulong())):
        before = set(os.listdir("/proc/self/task"))
        c.pthread_create(to, None, c.pthread_exit, None)
        said = b"'waits'"
        for look in range(100_000):  # where nobody may read what it does, it is there all the time
            left = set(os.listdir("/proc/self/task")) - before
            if not left:
                said = b"'ended'"
                break
            try:
                with open(f"/proc/self/task/{left.pop()}/syscall") as file:
                    if file.read().startswith("34 "):  # pause
                        break
            except OSError:
                pass
        os.write(1, said)

kept = AtTheEnd()
"""


def test_a_thread_that_python_ends_while_it_ends_itself_waits(run_on):
    # Its stack would be unwound through functions of PyTorch that must not throw.
    assert said(run_on(END)) == "waits"

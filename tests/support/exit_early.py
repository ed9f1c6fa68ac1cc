"""How code ends that a test starts in a process of its own, once it has said everything."""

AT_ONCE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
"""With gloo (torch 2.13) a process that has done all of its work now and then ends by SIGABRT when
the interpreter shuts down, also after destroy_process_group: see answers/torchrun. So did one
with torch 2.15 on a stand-in GPU, once, on a busy machine."""

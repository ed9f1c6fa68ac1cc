"""How a script ends that the real torchrun starts in a test."""

AT_ONCE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
"""With gloo (torch 2.13) a process that has done all of its work now and then ends by SIGABRT when
the interpreter shuts down, also after destroy_process_group: see multi-gpu/torchrun."""

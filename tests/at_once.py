"""How a script ends that the real torchrun starts in a test."""

AT_ONCE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
"""Gloo's threads outlive destroy_process_group (torch 2.13), and if one still holds a tensor of
Python's when the interpreter ends, the process dies by SIGABRT when all is done: about one in
thirty. See https://github.com/pytorch/pytorch/issues/190489."""

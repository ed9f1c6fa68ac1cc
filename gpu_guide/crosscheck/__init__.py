"""Simulated devices held against FakeTensor, and against a GPU where there is one."""

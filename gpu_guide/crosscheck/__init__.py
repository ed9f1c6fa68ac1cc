"""Comparison of simulated devices with FakeTensor, and with a GPU where there is one."""

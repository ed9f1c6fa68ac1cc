"""Run code somewhere: on this machine, on simulated devices, on several processes."""

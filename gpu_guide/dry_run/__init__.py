"""Dry run: a training script, not changed, on a card that nobody has, without a GPU.

PyTorch's own CUDA code runs on a stand-in: its allocator, autograd and optimizers do what they do
on hardware, and kernels do nothing. What the script's processes noted on the way is read here.
"""

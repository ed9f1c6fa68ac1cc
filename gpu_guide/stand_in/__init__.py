"""A stand-in GPU: PyTorch's own CUDA code, run on a machine without a GPU."""

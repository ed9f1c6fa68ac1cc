"""FFT on a stand-in GPU: PyTorch's own CUDA code makes the tensors in between."""

from __future__ import annotations

import pytest
import torch
from stand_in_calls import said

GPU = "cuda:0"
TRANSFORMS = {
    "fft": torch.fft.fft,
    "rfft2": torch.fft.rfft2,
    "rfftn": torch.fft.rfftn,
    "ifft2": torch.fft.ifft2,
    "irfft2": lambda x: torch.fft.irfft2(x + 0j),
    "transposed": lambda x: torch.fft.fft(x.transpose(1, 3), dim=1),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_has_the_values_of_the_cpu(name) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 3, 8, 6)
    found = TRANSFORMS[name](x.to(GPU))
    assert found.is_cuda
    torch.testing.assert_close(found.cpu(), TRANSFORMS[name](x))


def test_a_transform_of_three_dimensions_needs_a_tensor_in_between(run_on) -> None:
    code = """
import torch
x = torch.zeros(64, 60, 62, 66, device="cuda")
before = torch.cuda.memory_allocated()
y = torch.fft.rfftn(x)
print([torch.cuda.max_memory_allocated() - before >= 2 * y.nbytes])
"""
    done = run_on(code)
    assert said(done) == [True] and not done.stderr

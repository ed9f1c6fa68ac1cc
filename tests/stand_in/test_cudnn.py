"""cuDNN on a stand-in GPU: it plans without a device, and PyTorch allocates what the plans need."""

from __future__ import annotations

from stand_in_calls import said

WORKSPACE = """
import torch

def workspace(size, channels, dtype, format):
    conv = torch.nn.Conv2d(channels, 128, 3, padding=1, device="cuda", dtype=dtype)
    x = torch.zeros(32, channels, size, size, device="cuda", dtype=dtype)
    conv, x = conv.to(memory_format=format), x.to(memory_format=format)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    y = conv(x)
    return torch.cuda.max_memory_allocated() - before - y.nbytes
"""


def test_a_convolution_has_the_workspace_that_cudnn_plans(run_on):
    code = f"""{WORKSPACE}
half, last = torch.float16, torch.channels_last
needed = workspace(56, 64, half, torch.contiguous_format)
# Tensor Cores read channels last, so cuDNN turns what is given in another order.
print([torch.backends.cudnn.version() > 0, needed >= 32 * 64 * 56 * 56 * 2,
       workspace(56, 64, half, last)])
"""
    assert said(run_on(code)) == [True, True, 0]


def test_another_architecture_needs_another_workspace(run_on):
    code = f"{WORKSPACE}\nprint([workspace(56, 64, torch.float32, torch.contiguous_format)])"
    needed = [said(run_on(code, capability=one))[0] for one in ("7.5", "8.9")]
    assert min(needed) > 0 and needed[0] != needed[1]


def test_the_search_for_the_fastest_algorithm_plans_more_than_one(run_on):
    def plans(search: bool) -> int:
        code = f"""{WORKSPACE}
torch.backends.cudnn.benchmark = {search}
print([workspace(8, 8, torch.float16, torch.channels_last) >= 0])
"""
        done = run_on(code, CUDNN_LOGLEVEL_DBG="3", CUDNN_LOGDEST_DBG="stderr")
        assert said(done) == [True]
        return done.stderr.count("function cudnnBackendFinalize() called")

    assert plans(True) > 2 * plans(False) > 0


def test_attention_is_planned_forwards_and_backwards(run_on):
    code = """
import torch

q, k, v = torch.zeros(3, 2, 8, 1024, 64, device="cuda", dtype=torch.bfloat16).requires_grad_()
y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
before = torch.cuda.memory_allocated()
y.sum().backward()
needed = torch.cuda.max_memory_allocated() - before
print([type(y.grad_fn).__name__, needed > 4 * q.nbytes])
"""
    done = run_on(code, capability="9.0", multiprocessors=132)
    assert said(done) == ["ScaledDotProductCudnnAttentionBackward0", True]
    assert not done.stderr


def test_what_asks_a_real_gpu_says_its_name_and_fails(run_on):
    code = """
import torch
torch.linalg.cholesky(torch.eye(4, device="cuda"))
"""
    done = run_on(code)
    assert done.returncode == 1 and "cusolver error" in done.stderr
    assert "stand-in: cusolver" in done.stderr and "does not answer" in done.stderr


def test_a_kernel_that_is_compiled_while_a_program_runs_is_launched(run_on):
    code = """
import torch
twice = torch.cuda.jiterator._create_jit_fn("template <typename T> T twice(T x) { return x + x; }")
print(list(twice(torch.zeros(3, device="cuda")).shape))
"""
    done = run_on(code)
    assert said(done) == [3] and not done.stderr

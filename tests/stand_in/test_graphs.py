"""Graph capture: what PyTorch may do in it, what it may not, and where its memory lies."""

from __future__ import annotations

from stand_in_calls import said

START = """
import torch
MIB = 2**20
def why(body):
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            body()
    except Exception as error:
        return str(error).splitlines()[0]
    finally:
        torch.cuda.set_stream(torch.cuda.default_stream())
x = torch.ones(1000, device="cuda")
"""


def test_a_graph_has_a_pool_of_its_own_which_goes_with_it(run_on):
    code = f"""{START}
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.empty(30 * MIB, dtype=torch.uint8, device="cuda")
    z = torch.empty(3 * MIB, dtype=torch.uint8, device="cuda")
    del z
def pools():
    found = [(s["segment_pool_id"] != (0, 0), s["total_size"] // MIB)
             for s in torch.cuda.memory_snapshot()]
    return sorted(found)
result = [pools()]
graph.replay()
torch.cuda.empty_cache()
result.append(pools())
del y, graph
torch.cuda.empty_cache()
print([*result, pools()])
"""
    in_pool = [(False, 2), (True, 20), (True, 30)]
    assert said(run_on(code)) == [in_pool, in_pool, [(False, 2)]]


def test_captured_copies_happen_when_the_graph_is_launched(run_on):
    code = f"""{START}
a, b = torch.zeros(4).pin_memory(), torch.ones(4).pin_memory()
graph = torch.cuda.CUDAGraph()
target = torch.empty(4, device="cuda")
target.copy_(a)
with torch.cuda.graph(graph):
    target.copy_(b, non_blocking=True)
result = [target.tolist()]
graph.replay()
result.append(target.tolist())
b.fill_(5)
graph.replay()
print([*result, target.tolist()])
"""
    assert said(run_on(code)) == [[0.0] * 4, [1.0] * 4, [5.0] * 4]


def test_waiting_while_capturing_spoils_the_capture(run_on):
    code = f"""{START}
import warnings
warnings.simplefilter("ignore")
result = [why(lambda: x.sum().item()), why(torch.cuda.synchronize)]
side = torch.cuda.Stream()
def unjoined():
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x + 1
def joined():
    unjoined()
    torch.cuda.current_stream().wait_stream(side)
event = torch.cuda.Event()
event.record()
result += [why(unjoined), why(joined), why(lambda: torch.cuda.current_stream().wait_event(event))]
print([*result, tuple((x + 1).shape)])
"""
    invalid = "CUDA error: operation failed due to a previous error during capture"
    assert said(run_on(code)) == [
        invalid,
        invalid,
        "CUDA error: capturing stream has unjoined work",
        None,
        invalid,
        (1000,),
    ]


def test_callables_are_graphed_with_their_backward(run_on):
    code = f"""{START}
import warnings
warnings.simplefilter("ignore")
sample = torch.ones(3, 10, device="cuda", requires_grad=True)
layer = torch.cuda.make_graphed_callables(torch.nn.Linear(10, 10).cuda(), (sample,))
layer(torch.ones(3, 10, device="cuda")).sum().backward()
print(tuple(layer.weight.grad.shape), flush=True)
# Skips Python's own shutdown: in it, autograd's thread may still release Python objects of this
# pass, and Python 3.11 then ends that thread in the middle of C++ ("terminate called").
import os
os._exit(0)
"""
    assert said(run_on(code)) == (10, 10)


def test_an_empty_graph_is_told(run_on):
    done = run_on(f"{START}\nwhy(lambda: None)")
    assert "The CUDA Graph is empty" in done.stderr

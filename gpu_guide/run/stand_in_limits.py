"""Limits of a stand-in GPU: what it cannot answer, snippet by snippet, and why.

It has no kernels, no clock of its own and nothing that runs beside the CPU, so it knows nothing of
time, of what happens at once, or of the last digits of CUDA's numbers.
"""

from __future__ import annotations

from gpu_guide.snippets.model import Snippet

_TIME = "asserts how long a GPU takes"
_SHOWS_TIME = "prints how long a GPU takes"
_AT_ONCE = "shows what two streams, or GPU and CPU, do at the same time"
_BUILD = "prints what this build of PyTorch was made with"
_CONTEXT = "prints the bytes of a CUDA context, which the driver takes as it likes"
_NAME = "prints what the GPU is called, which a simulated one does not know"
_ROUNDS = "prints a loss of training in 16 bits, which CUDA's code rounds otherwise than the CPU's"
_GRAPH = "replays a graph, whose kernels are not here"

NOT_RUN = {
    "current_device/pci_order": "asks nvidia-smi, which comes with a driver",
    "memory/three_copies": _TIME,
    "multi_gpu/split_takes_turns": _TIME,
    "speed/benchmark_timer": _TIME,
    "speed/copy_and_compute": _TIME,
    "speed/crossover": _TIME,
    "speed/cuda_graph": _GRAPH,
    "speed/cudnn_benchmark": _TIME,
    "speed/first_call": _TIME,
    "speed/graph_replay_speed": _GRAPH,
    "speed/item_every_step": _TIME,
    "speed/keep_a_reference": _GRAPH,
    "speed/launch_costs": _TIME,
    "speed/precision_and_speed": _TIME,
    "speed/products_by_size": _TIME,
    "speed/record_stream": _AT_ONCE,
    "speed/time_without_waiting": _TIME,
    "speed/two_streams_one_gpu": _TIME,
    "speed/unpinned_copy": _TIME,
    "to/bandwidth": _TIME,
    "to/overwritten_too_early": _AT_ONCE,
    "to/read_too_early": _AT_ONCE,
}
"""Snippets that fail there, because what they assert is a property of hardware."""

NOT_COMPARED = {
    "check/free_memory": _CONTEXT,
    "check/is_available": _BUILD,
    "device/set_device_cpu_build": _BUILD,
    "install/brings_its_libraries": _BUILD,
    "install/toolkit_is_not_used": _BUILD,
    "learn/events": _SHOWS_TIME,
    "learn/train_says_where": _NAME,
    "memory/five_numbers": _CONTEXT,
    "memory/saving_measured": _SHOWS_TIME,
    "memory/without_tensors": _CONTEXT,
    "multi_gpu/peer_copies": _SHOWS_TIME,
    "multi_gpu/train_with_ddp": _ROUNDS,
    "platforms/which_build": _BUILD,
    "speed/error_comes_later": _AT_ONCE,
    "speed/pinned_batches": _SHOWS_TIME,
    "speed/side_stream": _AT_ONCE,
    "to/pinning_costs": _SHOWS_TIME,
    "to/when_to_returns": _SHOWS_TIME,
}
"""Snippets that run there, but whose text is not what a GPU prints, or not a GPU's alone: it is
neither compared nor recorded."""


def why(snippet: Snippet) -> str:
    """Why a stand-in GPU does not speak for `snippet`; "" where it does."""
    return NOT_RUN.get(snippet.name) or NOT_COMPARED.get(snippet.name, "")


def speaks_for(snippet: Snippet) -> bool:
    """Whether what `snippet` prints on a stand-in GPU may be compared and recorded."""
    return not why(snippet)

"""Simulated CUDA devices: what is not answered is refused, by name."""

from __future__ import annotations

import multiprocessing
import os

import pytest
import torch
from simulated_places import places

from gpu_guide.simulate import NotSimulated, SimulatedCuda

CUDA_NAMES = """
        memory_allocated max_memory_allocated memory_reserved max_memory_reserved mem_get_info
        memory_stats memory_summary memory_snapshot reset_peak_memory_stats list_gpu_processes
        set_per_process_memory_fraction MemPool Stream Event ExternalStream stream current_stream
        default_stream set_stream StreamContext CUDAGraph graph make_graphed_callables
        graph_pool_handle get_device_properties get_device_capability get_arch_list
        is_bf16_supported is_tf32_supported can_device_access_peer ipc_collect utilization
        temperature power_draw clock_rate cudart current_blas_handle FloatTensor FloatStorage
        memory.memory_allocated memory._record_memory_history memory._snapshot nccl.version
        nvtx.range_push profiler.start streams.Stream graphs.CUDAGraph
        """
ACCELERATOR_NAMES = """
        memory_allocated max_memory_allocated memory_reserved memory_stats get_memory_info
        reset_peak_memory_stats current_stream set_stream get_device_capability Graph
        empty_host_cache
        """
REFUSED = {
    **{f"torch.cuda.{name}()": f"torch.cuda.{name}" for name in CUDA_NAMES.split()},
    **{
        f"torch.accelerator.{name}()": f"torch.accelerator.{name}"
        for name in ACCELERATOR_NAMES.split()
        if hasattr(torch.accelerator, name)
    },
    "torch.cuda.comm.broadcast(torch.ones(1), [0])": "torch.cuda.comm.broadcast",
    "torch.Stream()": "torch.Stream",
    "torch.Event()": "torch.Event",
    "torch.compile(abs)(1)": "torch.compile",
    "torch.compile(torch.nn.Linear(1, 1))(torch.ones(1))": "torch.compile",
    "torch.func.linearize(abs, 1)": "torch.func.linearize",
    "torch.func.jacfwd(lambda x: x.cuda().sin())(torch.ones(2))": "forward-mode",
    "torch.jit.script(torch.nn.Linear(1, 1))": "torch.jit.script",
    "torch.jit.script(lambda x: x).graph": "torch.jit.script(...).graph",
    "torch.jit.trace(abs, 1)": "torch.jit.trace",
    "torch.export.export(abs)": "torch.export.export",
    "torch.distributed.init_process_group('gloo')": "torch.distributed.init_process_group",
    "torch.nn.DataParallel(torch.nn.Linear(1, 1))": "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel(abs)": "DistributedDataParallel",
    "torch.nn.parallel.data_parallel(abs, 1)": "torch.nn.parallel.data_parallel",
    "torch.multiprocessing.spawn(abs)": "torch.multiprocessing.spawn",
    "torch.profiler.profile()": "torch.profiler.profile",
    "__import__('torch.utils.benchmark').utils.benchmark.Timer('1')": "benchmark.Timer",
    "torch.autocast('cuda').__enter__()": "torch.autocast('cuda')",
    "torch.amp.GradScaler()": "torch.amp.GradScaler('cuda')",
    "torch.amp.GradScaler('cuda:0')": "torch.amp.GradScaler('cuda')",
    "torch.set_default_tensor_type('torch.cuda.FloatTensor')": "torch.set_default_tensor_type",
    "isinstance(torch.ones(1).storage(), torch.cuda.FloatStorage)": "torch.cuda.FloatStorage",
    "torch.ones(1, device='cuda').data_ptr()": "Tensor.data_ptr()",
    "torch.ones(1, device='cuda').__cuda_array_interface__": "__cuda_array_interface__",
    "torch.from_dlpack(torch.ones(1, device='cuda'))": "Tensor.__dlpack",
    "torch.ones(1, device='cuda').type('torch.cuda.HalfTensor')": "Tensor.type",
    "torch.ones(1).type('torch.cuda.HalfTensor')": "Tensor.type",
    "torch.ones(1, device='cuda').to_sparse()": "torch.sparse_coo tensor on cuda:0",
    "torch.ones(1).to_sparse().cuda()": "torch.sparse_coo tensor on cuda:0",
    "torch.nested.nested_tensor([torch.ones(1)], device='cuda')": "torch.nested.nested_tensor",
}


@pytest.mark.usefixtures("cuda")
class TestRefusals:
    """What is not answered is refused, by name."""

    @pytest.mark.parametrize(("code", "named"), REFUSED.items(), ids=REFUSED.keys())
    def test_refused(self, code: str, named: str) -> None:
        with pytest.raises(NotSimulated, match="needs a real GPU") as refusal:
            eval(code, {"torch": torch})
        assert named in str(refusal.value)

    def test_names_that_a_later_pytorch_adds_are_refused(self) -> None:
        answered = {
            "is_available device_count current_device set_device synchronize get_device_name "
            "is_initialized init empty_cache is_current_stream_capturing device device_of "
            "manual_seed manual_seed_all seed seed_all initial_seed get_rng_state "
            "get_rng_state_all set_rng_state set_rng_state_all cudaStatus classproperty"
        }.pop()
        left = [
            name
            for name, value in vars(torch.cuda).items()
            if callable(value)
            and not name.startswith("_")
            and getattr(value, "__module__", "") == "torch.cuda"
            and not (isinstance(value, type) and issubclass(value, BaseException))
            and name not in answered.split()
        ]
        assert left == []

    def test_harmless_uses_of_refused_tools_stay(self) -> None:
        with torch.autocast("cuda", enabled=False):
            assert torch.ones(1, device="cuda").dtype == torch.float32
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
        assert torch.amp.GradScaler("cpu").get_scale() > 1
        assert not isinstance(torch.ones(1), torch.cuda.Stream)

    def test_a_custom_operator_would_lose_labels(self) -> None:
        @torch.library.custom_op("gpu_guide_test::twice", mutates_args=())
        def twice(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        assert twice(torch.ones(1)).item() == 2.0
        with pytest.raises(NotSimulated, match="gpu_guide_test"):
            twice(torch.ones(1, device="cuda"))

    @pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
    @pytest.mark.parametrize("use", ["tensor", "device"])
    def test_cuda_in_a_forked_process(self, use: str) -> None:
        context = multiprocessing.get_context("fork")
        here, there = context.Pipe(duplex=False)
        tensor = torch.ones(1, device="cuda")

        def child() -> None:
            try:
                there.send(str(tensor.device) if use == "tensor" else places(torch.ones(1).cuda()))
            except NotSimulated as refusal:
                there.send(refusal)

        process = context.Process(target=child)
        process.start()
        answer = here.recv()
        process.join()
        assert isinstance(answer, NotSimulated)
        assert str(answer).endswith("in a forked process is not simulated: it needs a real GPU")

    def test_changing_visible_devices(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(os.environ, "CUDA_VISIBLE_DEVICES", "1")
        with pytest.raises(NotSimulated, match="CUDA_VISIBLE_DEVICES"):
            torch.cuda.device_count()

    def test_the_build_is_described_as_it_is(self) -> None:
        inside = torch.version.cuda, torch.backends.cuda.is_built()
        assert inside == (BUILD_CUDA, BUILD_IS_CUDA)


BUILD_CUDA, BUILD_IS_CUDA = torch.version.cuda, torch.backends.cuda.is_built()


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="devices=0"):
        SimulatedCuda(0)
    with SimulatedCuda(1), pytest.raises(RuntimeError, match="already simulated"):
        SimulatedCuda(1).__enter__()
    with SimulatedCuda(1):
        assert torch.cuda.is_available()

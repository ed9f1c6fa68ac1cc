"""What PyTorch's own tests assert about streams and events, asserted of them on the stand-in.

The docstrings name the tests in github.com/pytorch/pytorch that expect it: test/test_cuda.py and,
where they say so, test/test_cuda_multigpu.py. On the stand-in all work is done at once, so nothing
that PyTorch asserts of work still under way is here.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from torch_assertions import two_devices


@pytest.fixture(autouse=True)
def default_streams() -> Iterator[None]:
    """Every test begins and ends on device 0 with the default streams."""
    yield
    for device in range(torch.cuda.device_count()):
        torch.cuda.set_stream(torch.cuda.default_stream(device))
    torch.cuda.set_device(0)
    torch.cuda.empty_cache()


def test_the_default_stream_is_0_and_current_until_another_is_chosen() -> None:
    """TestCuda.test_streams"""
    default, stream = torch.cuda.current_stream(), torch.cuda.Stream()
    assert torch.cuda.current_stream() == default != stream
    assert default.cuda_stream == 0 != stream.cuda_stream
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
    assert torch.cuda.current_stream() == default
    assert stream.query() and default.query()


def test_streams_and_events_name_their_class() -> None:
    """TestCuda.test_stream_event_repr"""
    stream, event = torch.cuda.current_stream(), torch.cuda.Event()
    assert "torch.cuda.Stream" in repr(stream)
    assert "torch.cuda.Event uninitialized" in repr(event)
    stream.record_event(event)
    assert "torch.cuda.Event" in repr(event) and "uninitialized" not in repr(event)


def test_a_stream_offers_its_handle_to_other_libraries() -> None:
    """TestCuda.test_cuda_stream_protocol"""
    stream = torch.cuda.Stream()
    assert stream.__cuda_stream__() == (0, stream.cuda_stream)
    external = torch.cuda.ExternalStream(stream.cuda_stream)
    assert external.__cuda_stream__() == (0, stream.cuda_stream)


def test_an_event_has_no_handle_until_it_is_recorded() -> None:
    """TestCuda.test_events"""
    event = torch.cuda.Event(enable_timing=True)
    assert event.query()
    assert event.cuda_event == event.event_id == 0
    event.record()
    assert event.cuda_event == event.event_id != 0


def test_time_between_events_is_not_negative() -> None:
    """TestCuda.test_events, without the work between them"""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record()
    end.synchronize()
    assert end.query() and start.elapsed_time(end) >= 0


@pytest.mark.parametrize("options", [{}, {"enable_timing": False}])
def test_events_without_timing_have_no_elapsed_time(options: dict[str, bool]) -> None:
    """TestCuda.test_events_elapsedtime"""
    one, other = torch.cuda.Event(**options), torch.cuda.Event(**options)
    says = "Both events must be created with argument 'enable_timing=True'"
    with pytest.raises(ValueError, match=says):
        one.elapsed_time(other)


def test_events_that_were_not_recorded_have_no_elapsed_time() -> None:
    """TestCuda.test_events_elapsedtime"""
    one, other = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with pytest.raises(ValueError, match="Both events must be recorded before calculating"):
        one.elapsed_time(other)


def test_a_generic_stream_is_the_cuda_stream_of_the_same_id() -> None:
    """TestCuda.test_generic_stream_event"""
    stream = torch.Stream("cuda")
    assert stream.device_index == torch.cuda.current_device()
    same = torch.cuda.Stream(
        stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type
    )
    assert isinstance(same, torch.Stream) and same.stream_id == stream.stream_id
    assert stream.stream_id != torch.cuda.current_stream().stream_id
    with torch.cuda.stream(same):
        assert torch.cuda.current_stream().stream_id == stream.stream_id


def test_generic_events_are_recorded_on_streams() -> None:
    """TestCuda.test_generic_stream_event"""
    stream = torch.Stream("cuda")
    first, second = (torch.Event("cuda", enable_timing=True) for _ in range(2))
    assert first.event_id == 0
    first.record(stream)
    second.record()
    first.synchronize()
    second.synchronize()
    assert first.query() and second.query() and first.event_id != second.event_id
    assert isinstance(torch.cuda.Event(), torch.Event)


def test_the_accelerators_stream_is_the_current_one() -> None:
    """TestCuda.test_stream_compatibility"""
    for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
        torch.accelerator.set_stream(stream)
        assert torch.accelerator.current_stream().stream_id == stream.stream_id
    with pytest.raises(RuntimeError, match=r"Device index value .* is out of index range"):
        torch.accelerator.current_stream(torch.accelerator.device_count())


def test_a_block_that_another_stream_used_is_used_again_once_that_is_done() -> None:
    """TestCuda.test_record_stream"""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor = torch.empty(4, device="cuda")
    address = tensor.data_ptr()
    tensor.record_stream(torch.cuda.current_stream())
    del tensor
    torch.cuda.current_stream().synchronize()
    assert torch.empty(4, device="cuda").data_ptr() != address
    with torch.cuda.stream(stream):
        assert torch.empty(4, device="cuda").data_ptr() == address


def test_recording_a_shifted_view_keeps_the_whole_block() -> None:
    """TestCuda.test_record_stream_on_shifted_view"""
    base = torch.empty(10, 10, device="cuda")
    view = base[5:]
    assert view.storage_offset() > 0
    view.record_stream(torch.cuda.Stream())
    del base, view
    states = [block["state"] for one in torch.cuda.memory_snapshot() for block in one["blocks"]]
    assert states[0] == "active_pending_free"


def test_a_stream_is_a_context_manager() -> None:
    """TestCuda.test_stream_context_manager"""
    before = torch.cuda.current_stream()
    with torch.cuda.Stream() as stream:
        assert torch.cuda.current_stream() == stream
    assert torch.cuda.current_stream() == before


@two_devices
def test_a_stream_of_another_device_makes_that_current() -> None:
    """TestCuda.test_multi_device_stream_context_manager"""
    before = [torch.cuda.current_stream(device) for device in (0, 1)]
    with torch.cuda.Stream(1) as stream:
        assert torch.cuda.current_device() == 1
        assert torch.cuda.current_stream() == stream
        assert torch.cuda.current_stream(0) == before[0]
    assert torch.cuda.current_device() == 0
    assert [torch.cuda.current_stream(device) for device in (0, 1)] == before


@two_devices
def test_every_device_has_a_current_stream_of_its_own() -> None:
    """TestCudaMultiGPU.test_current_stream, in test_cuda_multigpu.py"""
    assert torch.cuda.current_stream(1).device == torch.device("cuda:1")
    assert torch.cuda.current_stream("cuda:0") == torch.cuda.current_stream()
    with torch.cuda.device(1):
        assert torch.cuda.current_stream() == torch.cuda.current_stream(1)
        assert torch.cuda.current_stream() != torch.cuda.current_stream(0)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        torch.cuda.current_stream(torch.device("cpu"))


@two_devices
def test_default_streams_are_current_at_first() -> None:
    """TestCudaMultiGPU.test_default_stream, in test_cuda_multigpu.py"""
    for device in (0, 1):
        with torch.cuda.device(device):
            assert torch.cuda.default_stream() == torch.cuda.current_stream()
            assert torch.cuda.default_stream() == torch.cuda.default_stream(device)
    assert torch.cuda.default_stream(0) != torch.cuda.default_stream(1)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        torch.cuda.default_stream(torch.device("cpu"))


@two_devices
def test_leaving_a_stream_of_another_device_restores_device_and_stream() -> None:
    """TestCudaMultiGPU.test_stream_context, in test_cuda_multigpu.py"""
    default, other = torch.cuda.current_stream(), torch.cuda.Stream(device=1)
    third = torch.cuda.Stream(device=0)
    with torch.cuda.device(other.device):
        previous = torch.cuda.current_stream()
    with torch.cuda.stream(other):
        assert (torch.cuda.current_device(), torch.cuda.current_stream()) == (1, other)
        with torch.cuda.stream(third):
            assert (torch.cuda.current_device(), torch.cuda.current_stream()) == (0, third)
        assert (torch.cuda.current_device(), torch.cuda.current_stream()) == (1, other)
    with torch.cuda.device(other.device):
        assert torch.cuda.current_stream() == previous
    assert (torch.cuda.current_device(), torch.cuda.current_stream()) == (0, default)


@two_devices
def test_streams_are_equal_where_device_and_handle_are() -> None:
    """TestCudaMultiGPU.test_streams_multi_gpu_eq, in test_cuda_multigpu.py"""
    streams = []
    for device in (0, 1):
        with torch.cuda.device(device):
            streams.append([torch.cuda.current_stream() for _ in range(2)])
    (first, same), (other, _) = streams
    assert first == same != other
    assert hash(first) == hash(same) != hash(other)
    assert first.cuda_stream == same.cuda_stream and first.device != other.device


@two_devices
@pytest.mark.parametrize("device", [0, 1])
def test_a_stream_has_the_priority_that_was_asked_for(device: int) -> None:
    """TestCudaMultiGPU.test_streams_priority, in test_cuda_multigpu.py"""
    low, high = torch.cuda.Stream.priority_range()
    assert low >= high
    for priority in (low, high):
        stream = torch.cuda.Stream(device=device, priority=priority)
        assert (stream.priority, stream.device) == (priority, torch.device("cuda", device))


@two_devices
def test_a_stream_waits_for_an_event_of_another_device() -> None:
    """TestCudaMultiGPU.test_events_wait, in test_cuda_multigpu.py"""
    event = torch.cuda.current_stream(0).record_event()
    stream = torch.cuda.current_stream(1)
    stream.wait_event(event)
    stream.synchronize()
    assert event.query() and torch.cuda.current_stream(0).query() and stream.query()


@two_devices
def test_an_event_has_the_device_of_the_stream_that_recorded_it() -> None:
    """TestCudaMultiGPU.test_stream_event_device, in test_cuda_multigpu.py"""
    event = torch.cuda.Event(enable_timing=True)
    assert event.device is None
    with torch.cuda.device(1):
        torch.cuda.current_stream().record_event(event)
    assert event.device == torch.device("cuda:1")


@two_devices
def test_no_time_passes_between_events_of_two_devices() -> None:
    """TestCudaMultiGPU.test_events_multi_gpu_elapsed_time, in test_cuda_multigpu.py"""
    events = []
    for device in (0, 1):
        with torch.cuda.device(device):
            events.append(torch.cuda.Event(enable_timing=True))
            torch.cuda.current_stream().record_event(events[-1])
            torch.cuda.synchronize()
    for device in (0, 1):
        with torch.cuda.device(device), pytest.raises(RuntimeError):
            events[0].elapsed_time(events[1])


@contextmanager
def foreign_stream(device: int) -> Iterator[int]:
    """The handle of a stream that PyTorch did not make."""
    handle = ctypes.c_void_p()
    with torch.cuda.device(device):
        cudart = torch.cuda.cudart()
        assert cudart.cudaStreamCreate(ctypes.addressof(handle)) == 0
        yield handle.value or 0
        assert cudart.cudaStreamDestroy(handle.value) == 0


@pytest.mark.parametrize("device", [0, pytest.param(1, marks=two_devices)])
def test_a_foreign_stream_keeps_handle_and_device(device: int) -> None:
    """TestCudaMultiGPU.test_external_streams_multi_device, in test_cuda_multigpu.py"""
    with foreign_stream(device) as handle:
        assert handle != 0
        for stream in (
            torch.cuda.ExternalStream(handle, device=torch.device("cuda", device)),
            torch.cuda.get_stream_from_external(handle, torch.device("cuda", device)),
        ):
            assert (stream.cuda_stream, stream.device.index) == (handle, device)


def test_the_current_stream_is_the_threads_own() -> None:
    """TestCudaMultiGPU.test_stream_event_nogil, in test_cuda_multigpu.py, without its times"""
    seen = []
    with torch.cuda.stream(torch.cuda.Stream()):
        thread = threading.Thread(target=lambda: seen.append(torch.cuda.current_stream()))
        thread.start()
        thread.join()
    assert seen == [torch.cuda.default_stream()]

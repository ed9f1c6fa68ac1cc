"""What a dry run makes of a process's ledger: the peak, and what lay there."""

from __future__ import annotations

from typing import Any

from gpu_guide.dry_run.replay import devices

MIB = 2**20
TRAIN = [["/home/me/train.py", 7, "main", "loss = model(x)"], None]
NOWHERE = [None, None]


def ledger(events: list[list[Any]], **more: Any) -> dict[str, Any]:
    """A ledger of one GPU: kernel 0 is forward, 1 backward, 2 the optimizer's, 3 a copy."""
    kernels = {
        "rank": 0,
        "events": [events],
        "peak": [0],
        "reserved": [64 * MIB],
        "total": [8192 * MIB],
        "names": ["mm", "add"],
        "phases": ["forward", "backward", "optimizer", "communication"],
        "sites": [NOWHERE, TRAIN],
        "ops": [(0, 1, 0), (0, 1, 1), (1, 0, 2), (1, 1, 0)],
        "results": [[100], [200], [300], [100]],
        "marks": [],
        "steps": [],
        "lost": False,
    }
    return kernels | more


def alloc(address: int, mib: float, kernel: int | str = "") -> list[Any]:
    return ["alloc", address, int(mib * MIB), str(kernel)]


def free(address: int) -> list[Any]:
    return ["free_requested", address, 0, ""]


def kinds(events: list[list[Any]], **more: Any) -> dict[str, int]:
    (device,) = devices(ledger(events, **more))
    return {kind: bytes // MIB for kind, bytes in device.kinds.items()}


def test_the_peak_is_where_most_lies_and_not_at_the_end() -> None:
    events = [alloc(100, 4, 1), alloc(200, 2, 3), free(100), alloc(300, 1, 2)]
    (device,) = devices(ledger(events, results=[[], [100], [300], [200]]))
    assert device.allocated == 6 * MIB
    assert [(block.bytes // MIB, block.kind) for block in device.blocks] == [
        (4, "backward"),
        (2, "activations"),
    ]
    assert device.operator == "add" and device.place.own and device.place.own.number == 7


def test_a_peak_at_the_end_is_one() -> None:
    assert kinds([alloc(100, 4, 0), alloc(300, 1, 2)]) == {
        "activations": 4,
        "optimizer_temporaries": 1,
    }


def test_sizes_are_those_that_the_allocator_gives() -> None:
    (device,) = devices(ledger([alloc(100, 0, 0), ["alloc", 200, 513, "1"]]))
    assert device.allocated == 512 + 1024


def test_what_a_kernel_does_not_return_is_its_workspace() -> None:
    assert kinds([alloc(900, 8, 0), alloc(100, 4, 0)]) == {"workspaces": 8, "activations": 4}


def test_a_mark_says_what_a_block_is_for() -> None:
    marks = [("gradients", 200, 2), ("weights", 100, 2)]
    events = [alloc(100, 4, 0), alloc(200, 2, 1)]
    assert kinds(events, marks=marks) == {"weights": 4, "gradients": 2}


def test_a_mark_belongs_to_the_block_that_was_there_when_it_was_made() -> None:
    # The address is a gradient's first, and an activation's after it was freed.
    events = [alloc(100, 1, 0), free(100), alloc(100, 4, 3)]
    assert kinds(events, marks=[("gradients", 100, 2)]) == {"activations": 4}
    assert kinds(events, marks=[("gradients", 100, 4)]) == {"gradients": 4}


def test_weights_that_are_marked_twice_stay_weights() -> None:
    marks = [("optimizer", 100, 1), ("weights", 100, 1)]
    for order in (marks, marks[::-1]):
        assert kinds([alloc(100, 4, 0)], marks=order) == {"weights": 4}


def test_what_pytorch_counts_beyond_the_blocks_is_other() -> None:
    assert kinds([alloc(100, 4, 0)], peak=[5 * MIB]) == {"activations": 4, "other": 1}


def test_steps_have_their_own_peaks() -> None:
    events = [
        ["segment_alloc", 0, 20 * MIB, ""],
        alloc(100, 4, 0),
        free(100),
        alloc(200, 1, 1),
        alloc(300, 2, 2),
    ]
    (device,) = devices(ledger(events, steps=[{"now": 1}, {"now": 3}]))
    assert [step.allocated // MIB for step in device.steps] == [4, 3]
    assert [step.reserved // MIB for step in device.steps] == [20, 20]
    assert device.step == 1


def test_lines_are_summed_and_sorted() -> None:
    events = [alloc(100, 1, 0), alloc(101, 1, 0), alloc(300, 8, 2)]
    (device,) = devices(ledger(events, results=[[100, 101], [], [300], []]))
    found = [(place.own, kind, bytes // MIB, n) for place, kind, bytes, n, _ in device.lines(5)]
    assert [one[1:] for one in found] == [
        ("optimizer_temporaries", 8, 1),
        ("activations", 2, 2),
    ]
    assert found[0][0] is None and found[1][0].text == "loss = model(x)"


def test_a_gpu_without_allocations_is_none() -> None:
    assert devices(ledger([["segment_alloc", 0, MIB, ""]])) == []


def test_allocations_outside_of_kernels_are_other() -> None:
    assert kinds([alloc(100, 1, 0), alloc(500, 3)]) == {"other": 3, "activations": 1}

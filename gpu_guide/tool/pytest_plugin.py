"""A plug-in for readers' own tests: pretended CUDA devices, and how much memory a test takes.

Every pytest of an environment with the wheel loads it, so all else is imported where it is used.
What a pretended device cannot answer skips its test, and the end of the run says how many.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import pytest

SIMULATE = "--simulate-gpus"
CURRENT = "--simulate-current"
REQUIRE = "--require-gpu-memory"
INSIDE = "--gpu-memory-inside"
"""Set in the process in which a test of memory itself runs."""
SIMULATED, MEMORY = "simulate_gpus", "gpu_memory"
"""The two marks."""
RESERVED, LIMIT = "gpu_memory_reserved", "gpu_memory_limit"
"""Properties of a test's report, which JUnit's file has, too: bytes."""
NEEDS_GPU = "it needs a real GPU"
"""What every refusal of a simulated device ends with."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gpu-guide", "GPUs that this machine does not have")
    group.addoption(
        SIMULATE,
        type=int,
        metavar="N",
        help="pretend that there are N CUDA devices: where tensors are, nothing of speed or memory",
    )
    group.addoption(
        CURRENT,
        type=int,
        metavar="N",
        help=f"with {SIMULATE}: the current device, 0 by default; what is on cuda:0 whatever the "
        "current device is shows with another one",
    )
    group.addoption(
        REQUIRE,
        action="store_true",
        help=f"fail, and do not skip, tests marked {MEMORY} that cannot be measured here",
    )
    group.addoption(INSIDE, action="store_true", help=argparse.SUPPRESS)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any test or conftest.py is imported, because these may ask for a device, too."""
    count = early_config.known_args_namespace.simulate_gpus
    current = early_config.known_args_namespace.simulate_current
    if current is not None and not 0 <= current < (count or 0):
        remedy = f"write {SIMULATE} with a number above it" if current >= 0 else "write 0 or more"
        raise pytest.UsageError(f"{CURRENT} {current}: {remedy}")
    if count is None:
        return
    try:
        import torch

        from gpu_guide.simulate import SimulatedCuda

        simulation = SimulatedCuda(count)
    except (ImportError, ValueError) as error:
        raise pytest.UsageError(f"{SIMULATE} {count}: {error}") from None
    simulation.__enter__()
    early_config.add_cleanup(lambda: simulation.__exit__(None, None, None))
    if current:
        torch.cuda.set_device(current)


def pytest_configure(config: pytest.Config) -> None:
    for line in (
        f"{SIMULATED}(count=2): run with so many pretended CUDA devices",
        f"{MEMORY}(card, at_most=None, count=1): run in a process of its own on a stand-in for "
        "this card; fails where it does not fit, or where PyTorch reserves more than at_most",
    ):
        config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is measured in another process needs no fixtures in this one."""
    if config.getoption(INSIDE):
        return
    for item in items:
        if mark := item.get_closest_marker(MEMORY):
            item.setup = lambda: None
            item.runtest = _Measured(item, mark)


class _Measured:
    """In place of a test: what its process showed."""

    def __init__(self, item: pytest.Item, mark: pytest.Mark) -> None:
        self.item, self.mark = item, mark

    def __call__(self) -> None:
        from gpu_guide.tool.gpu_memory import Impossible, measured

        config = self.item.config
        try:
            test = [self.item.nodeid, INSIDE]
            found = measured(test, config.rootpath, *self.mark.args, **self.mark.kwargs)
        except Impossible as error:
            if config.getoption(REQUIRE):
                pytest.fail(f"{REQUIRE}: {error}", pytrace=False)
            pytest.skip(str(error))
        except (TypeError, ValueError) as error:
            pytest.fail(f"@pytest.mark.{MEMORY}: {error}", pytrace=False)
        self.item.user_properties += [(RESERVED, found.reserved), (LIMIT, found.limit)]
        if found.problem:
            pytest.fail(found.problem, pytrace=False)


_SIMULATION = pytest.StashKey[Any]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before its fixtures, which may use devices."""
    mark = item.get_closest_marker(SIMULATED)
    if mark is None:
        return
    from gpu_guide.simulate import SimulatedCuda

    (count,) = mark.args or (mark.kwargs.get("count", 2),)
    everywhere = item.config.getoption(SIMULATE)
    if everywhere not in (None, count):
        pytest.fail(f"{SIMULATE} {everywhere} is on, and this test asks for {count}", pytrace=False)
    if everywhere is None:
        simulation = SimulatedCuda(count)
        simulation.__enter__()
        item.stash[_SIMULATION] = simulation


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    try:
        return (yield)
    finally:
        if simulation := item.stash.get(_SIMULATION, None):
            del item.stash[_SIMULATION]
            simulation.__exit__(None, None, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """A refusal of a simulated device is no fault of the test."""
    report = yield
    if refused := _refusal(call):
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, refused)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[pytest.CollectReport]:
    """Nor is one while a file of tests is imported: the others run."""
    report = yield
    if refused := _refusal(report.call):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 1, refused)
    return report


def _refusal(call: pytest.CallInfo[Any] | None) -> str:
    """The reason for a skip, where a simulated device refused something; else ""."""
    error = call and call.excinfo and call.excinfo.value
    return f"Skipped: {error}" if type(error).__name__ == "NotSimulated" else ""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many tests were refused, and what those of memory took."""
    refused = [
        report
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple) and str(report.longrepr[2]).endswith(NEEDS_GPU)
    ]
    if refused:
        terminalreporter.section("tests that need a real GPU", sep="-")
        for report in refused:
            reason = report.longrepr[2].removeprefix("Skipped: ")
            terminalreporter.line(f"{report.nodeid}: {reason}")
    rows = []
    for report in (
        *terminalreporter.stats.get("passed", ()),
        *terminalreporter.stats.get("failed", ()),
    ):
        found = dict(getattr(report, "user_properties", ()))
        if RESERVED in found and report.when == "call":
            rows.append((report.nodeid, found[RESERVED], found[LIMIT]))
    if rows:
        terminalreporter.section("GPU memory, reserved by PyTorch", sep="-")
        for nodeid, reserved, limit in rows:
            sizes = f"{reserved / 2**30:.2f} of {limit / 2**30:.2f} GiB"
            terminalreporter.line(f"{nodeid}: {sizes}")

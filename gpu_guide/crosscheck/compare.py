"""Compare simulated CUDA devices with PyTorch's own rules, operation by operation.

Two tensors, seven ways to place them, one operation: where is the result, or is it refused?
`python -m gpu_guide.crosscheck` asks the simulation and FakeTensor, which knows PyTorch's rules
without a device; `--gpu` asks the GPUs of this machine instead, which alone have the last word.
The table of cases is `gpu_guide.crosscheck.table`.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import logging
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch._C._autograd import DeviceType

from gpu_guide.crosscheck.table import KNOWN, OPERATIONS, PAIRS, Operation, Pair
from gpu_guide.project import HERE
from gpu_guide.simulate import SimulatedCuda

_NO_VALUES = "no answer: needs values"
_ABORTED = "no answer: the process died"


def outcome(operation: Operation, pair: Pair) -> str:
    """Where the result is, or how the operation is refused, in words that can be compared."""
    try:
        a = torch.ones(2, 2, device=pair.first)
        b = torch.ones(() if pair.scalar else (2, 2), device=pair.second)
        with torch.no_grad():
            result = operation(a, b)
    except Exception as error:
        return _refusal(error)
    return str(result.device) if isinstance(result, torch.Tensor) else type(result).__name__


_MISMATCH = ("same device", "indices should be either", "weight type", "expected to be on")


def _refusal(error: Exception) -> str:
    kind = type(error).__name__
    if kind in ("DataDependentOutputException", "DynamicOutputShapeException"):
        return _NO_VALUES
    if "not linked with support for cuda" in str(error):
        return "no answer: needs a CUDA build"
    return "mismatch" if any(text in str(error) for text in _MISMATCH) else f"error {kind}"


Outcomes = dict[tuple[str, str], str]


def simulated() -> Outcomes:
    """What simulated devices say to every operation and pair."""
    with warnings.catch_warnings(), SimulatedCuda(2):
        warnings.simplefilter("ignore")
        return {case: outcome(OPERATIONS[case[0]], PAIRS[case[1]]) for case in _cases()}


def _cases(gpus: int = 2) -> list[tuple[str, str]]:
    """Every operation with every pair of devices that so many GPUs allow."""
    pairs = [name for name, pair in PAIRS.items() if pair.gpus <= gpus]
    return [(name, pair) for name in OPERATIONS for pair in pairs]


_ASK = (sys.executable, "-m", "gpu_guide.crosscheck")
_ASK_FAKE_TENSOR = (*_ASK, "--fake-tensor-from")
_ASK_GPUS = (*_ASK, "--gpu-from")


def by_fake_tensor(command: Sequence[str] = _ASK_FAKE_TENSOR) -> Outcomes:
    """What FakeTensor says."""
    return asked(command, _cases(), "FakeTensor")


def by_gpus(gpus: int, command: Sequence[str] = _ASK_GPUS) -> Outcomes:
    """What the GPUs of this machine say, if there are so many; with one, to pairs that need one."""
    return asked(command, _cases(gpus), "the GPU")


def asked(command: Sequence[str], cases: Sequence[tuple[str, str]], whom: str) -> Outcomes:
    """The answers to `cases`, asked in processes of their own: an operation may kill the process.

    `command` and the number of the first case make the process that prints the answers. Raises
    RuntimeError if it ends without an answer.
    """
    found: Outcomes = {}
    while len(found) < len(cases):
        done = subprocess.run(
            [*command, str(len(found))],
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE.root,
            check=False,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]
        if not answers and not (found and done.returncode):
            raise RuntimeError(f"{whom} cannot be asked: exit status {done.returncode}")
        if done.returncode:
            answers.append(_ABORTED)
        found |= dict(zip(cases[len(found) :], answers, strict=False))
    return found


def _print_fake_tensor_from(start: int) -> None:
    """The child's half: one outcome per line, from case `start` on."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    _lend_cuda_a_device_guard()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    for name, pair in _cases()[start:]:
        mode = FakeTensorMode()
        mode.cache_enabled = False  # a warm cache answers for the wrong device
        with mode:
            answer = outcome(OPERATIONS[name], PAIRS[pair])
        print(json.dumps(answer), flush=True)


def _print_gpus_from(start: int) -> None:
    """The same, by the GPUs: after an error that ends CUDA in this process, it has no answer."""
    warnings.simplefilter("ignore")
    for name, pair in _cases(torch.cuda.device_count())[start:]:
        answer = outcome(OPERATIONS[name], PAIRS[pair])
        torch.cuda.synchronize()
        print(json.dumps(answer), flush=True)


_GUARDS = "_ZN3c104impl26device_guard_impl_registryE"


def _lend_cuda_a_device_guard() -> None:
    """Let CUDA use the do-nothing device guard of the meta device.

    A CPU build has no guard for CUDA, without which FakeTensor cannot answer every fifth case. The
    table of guards is a symbol of libc10; where there is none by that name, those cases stay
    unanswered.
    """
    if torch.version.cuda is not None:
        return
    library = Path(torch.__file__).parent / "lib" / "libc10.so"
    cuda, meta = int(DeviceType.CUDA), int(DeviceType.Meta)
    with contextlib.suppress(OSError, ValueError):
        table = ctypes.c_void_p * (max(cuda, meta) + 1)
        guards = table.in_dll(ctypes.CDLL(str(library)), _GUARDS)
        guards[cuda] = guards[meta]


def disagreements(ours: Outcomes, theirs: Outcomes) -> dict[tuple[str, str], tuple[str, str]]:
    """Cases that were answered differently: ours and theirs. Two refusals agree."""
    return {
        case: (ours[case], answer)
        for case, answer in theirs.items()
        if ours[case] != answer and not (_refused(ours[case]) and _refused(answer))
    }


def _refused(answer: str) -> bool:
    return answer == "mismatch" or answer.startswith("error ")


def answered(answers: Outcomes) -> Outcomes:
    """The cases to which there is an answer."""
    return {case: answer for case, answer in answers.items() if not answer.startswith("no answer")}


@dataclass(frozen=True)
class Comparison:
    """The simulation against FakeTensor."""

    ours: Outcomes
    theirs: Outcomes

    @property
    def differences(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Every disagreement where FakeTensor has an answer."""
        return disagreements(self.ours, answered(self.theirs))

    @property
    def unexplained(self) -> list[tuple[str, str]]:
        """Disagreements that KNOWN does not list."""
        return sorted(self.differences.keys() - KNOWN.keys())

    @property
    def outdated(self) -> list[tuple[str, str]]:
        """Entries of KNOWN that are answered and agree, or name no case at all."""
        silent = self.theirs.keys() - answered(self.theirs).keys()
        return sorted(KNOWN.keys() - self.differences.keys() - silent)

    def report(self) -> Iterator[str]:
        """The summary and every disagreement with its reason, line by line."""
        answers = answered(self.theirs)
        yield (
            f"{len(OPERATIONS)} operations x {len(PAIRS)} pairs of devices = {len(self.theirs)} "
            f"cases: {len(answers) - len(self.differences)} agree, {len(self.differences)} "
            f"disagree, {len(self.theirs) - len(answers)} FakeTensor cannot answer"
        )
        for (op, pair), (ours, theirs) in sorted(self.differences.items()):
            reason = KNOWN.get((op, pair), "NOT EXPLAINED: correct the simulation or list it")
            yield f"{op} {pair}: simulated {ours}, FakeTensor {theirs}\n    {reason}"
        for op, pair in self.outdated:
            yield f"{op} {pair}: listed in KNOWN but no longer a disagreement: delete the entry"


def compare_with_fake_tensor() -> Comparison:
    """Ask both."""
    return Comparison(simulated(), by_fake_tensor())


def _compare_with_gpus() -> int:
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not gpus:
        print("no CUDA GPU that PyTorch can use here: run this on a machine with one, best two")
        return 2
    ours, theirs = simulated(), by_gpus(gpus)
    differences = disagreements(ours, answered(theirs))
    print(f"{gpus} x {torch.cuda.get_device_name(0)}, torch {torch.__version__}")
    print(f"{len(theirs)} of {len(ours)} cases tried, {len(differences)} differ")
    for (op, pair), (simulated_answer, answer) in sorted(differences.items()):
        print(f"{op} {pair}: simulated {simulated_answer}, GPU {answer}")
    return 1 if differences else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 0 for nothing unexplained, 1 for something, 2 for no GPU to ask."""
    parser = argparse.ArgumentParser(prog="python -m gpu_guide.crosscheck", description=__doc__)
    parser.add_argument("--gpu", action="store_true", help="ask the GPUs of this machine")
    parser.add_argument("--fake-tensor-from", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--gpu-from", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.fake_tensor_from is not None:
        _print_fake_tensor_from(options.fake_tensor_from)
        return 0
    if options.gpu_from is not None:
        _print_gpus_from(options.gpu_from)
        return 0
    if options.gpu:
        return _compare_with_gpus()
    comparison = compare_with_fake_tensor()
    for line in comparison.report():
        print(line)
    return 1 if comparison.unexplained or comparison.outdated else 0


if __name__ == "__main__":
    sys.exit(main())

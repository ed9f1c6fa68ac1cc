"""Every torchrun snippet begins with the same frame, which is right on every machine.

With GPUs each process takes the one with its LOCAL_RANK, and where there is none for it the code
fails; without any it runs on the CPU. Readers copy this, so it must not fall back to the CPU
unasked, and must not end a job that is only slow. This reads the code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from gpu_guide.problems import shown
from gpu_guide.snippets.syntax import tree_of

FRAME = """if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
"""
ALONE = "".join(line for line in FRAME.splitlines(True) if "init_process_group" not in line)
"""The frame of a snippet whose processes exchange nothing, and so need no group."""
BOTH = "cpu:gloo,cuda:nccl"
"""Gloo for what lies in host memory, NCCL for what lies on a GPU."""
_MAIN = "__name__ == '__main__'"
"""Torchrun runs the file: what follows runs in every process."""
_ENDS = ("destroy_process_group", "end_training")
_ABOUT = ("init_process_group", "fully_shard")


def faults(source: str, path: Path) -> list[str]:
    """What is wrong with a snippet's process groups: file, line, what to do."""
    if not any(word in source for word in ("# needs: torchrun", *_ABOUT)):
        return []
    tree = tree_of(source)
    found = [*_groups(tree), *_shards(tree)]
    if "# needs: torchrun" in source:
        begun = _end(tree, 1) if _by_a_library(source) else _frame(tree, has_group(source))
        found += [*begun, *_loads(tree), *_speakers(tree)]
    return [f"{shown(path)}:{line}: {what} — {remedy}" for line, what, remedy in found]


def has_group(source: str) -> bool:
    """Whether the snippet has anything to do with torch.distributed."""
    return bool(re.search(r"\bdist\.|torch\.distributed", source))


def _frame(tree: ast.Module, group: bool) -> Iterator[tuple[int, str, str]]:
    frame = FRAME if group else ALONE
    wanted = ast.unparse(ast.parse(frame))
    starts = _calls(tree, "init_process_group")
    at = next((s for s in tree.body if ast.unparse(s) == wanted), None)
    if at is None:
        line = starts[0].lineno if starts else 1
        yield line, "not the common frame", f"begin with these lines:\n{frame}"
        return
    if not group:
        return
    for call in starts:
        if not at.lineno <= call.lineno <= at.end_lineno:
            yield call.lineno, "init_process_group outside the common frame", "leave it out"
    yield from _end(tree, at.lineno)


def _by_a_library(source: str) -> bool:
    """Whether the snippet needs another library, which creates the process group itself."""
    needs = re.search(r"^# needs: (.*)$", source, re.MULTILINE)
    words = re.split(r"[,\s]+", needs[1]) if needs else []
    return any(not re.fullmatch(r"torchrun:\d|linux", word) for word in words)


def _end(tree: ast.Module, start: int) -> Iterator[tuple[int, str, str]]:
    """Accelerate's `end_training` destroys the group, too."""
    ends = [call.lineno for call in _unconditional(tree) if _name(call) in _ENDS]
    if not any(line > start for line in ends):
        yield (
            start,
            "the group is not destroyed on every way to the end",
            "end the file with dist.destroy_process_group(), in no branch, or in a finally",
        )


def _groups(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """What no code to be copied should have, under torchrun or not."""
    for call in _calls(tree, "init_process_group"):
        if any(keyword.arg == "timeout" for keyword in call.keywords):
            yield (
                call.lineno,
                "a timeout in code that readers copy",
                "leave it out: half an hour is right for training, and the tests set their own",
            )
        backend = [*call.args, *(k.value for k in call.keywords if k.arg == "backend")][:1]
        if any("'nccl'" in ast.unparse(argument) for argument in backend):
            yield (
                call.lineno,
                "NCCL alone, which has nothing for tensors on the CPU",
                f'write "{BOTH}"',
            )


def _shards(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for call in _calls(tree, "fully_shard"):
        if not any(keyword.arg == "mesh" for keyword in call.keywords):
            yield (
                call.lineno,
                "fully_shard without a mesh, which takes a GPU wherever there is one",
                "pass mesh=init_device_mesh(device.type, (dist.get_world_size(),))",
            )


def _loads(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Every process would put what rank 0 has saved on the GPU of rank 0."""
    for call in _calls(tree, "load"):
        if ast.unparse(call.func) == "torch.load" and any(
            keyword.arg == "map_location" and ast.unparse(keyword.value) == "None"
            for keyword in call.keywords
        ):
            yield call.lineno, "torch.load to the GPU that saved", 'write map_location="cpu"'


def _speakers(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Where one rank prints or saves for all it is rank 0, as readers expect; another one says its
    number."""
    for branch in (node for node in ast.walk(tree) if isinstance(node, ast.If)):
        match branch.test:
            case ast.Compare(left=who, ops=[ast.Eq()], comparators=[ast.Constant(value=int(rank))]):
                if not rank or "rank" not in ast.unparse(who):
                    continue
                body = ast.Module(branch.body, [])
                told = _calls(body, "print")
                if (told or _calls(body, "save")) and not any(_says(call, rank) for call in told):
                    what = f"rank {rank} prints or saves for all"
                    yield branch.lineno, what, "let rank 0 do it, or print which rank it is"


def _says(call: ast.Call, rank: int) -> bool:
    """Whether a print says that it is this rank's, by a variable or in words."""
    parts = [node for argument in call.args for node in ast.walk(argument)]
    variables = [node.id for node in parts if isinstance(node, ast.Name)]
    texts = [str(node.value) for node in parts if isinstance(node, ast.Constant)]
    named = any(one == "rank" or one.endswith("_rank") for one in variables)
    return named or any(f"rank {rank}" in one for one in texts)


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _name(n) == name]
    return sorted(found, key=lambda call: call.lineno)


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _unconditional(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that are statements of their own and run whatever else the file does."""
    statements = list(tree.body)
    for statement in statements:
        if isinstance(statement, ast.Try):
            statements += statement.finalbody
        elif isinstance(statement, ast.If) and ast.unparse(statement.test) == _MAIN:
            statements += statement.body
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement.value

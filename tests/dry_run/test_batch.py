"""The batch in a command, and the search for the largest one."""

from __future__ import annotations

import pytest

from gpu_guide.dry_run.batch import MOST, BatchArgument, Largest, largest


@pytest.mark.parametrize(
    ("command", "halved", "said"),
    [
        ("train.py --batch-size 8", "train.py --batch-size 4", "--batch-size 4"),
        ("train.py --batch_size=7", "train.py --batch_size=3", "--batch_size=3"),
        (
            "-m x --per_device_train_batch_size 2 -e 3",
            "-m x --per_device_train_batch_size 1 -e 3",
            "--per_device_train_batch_size 1",
        ),
        ("train.py batch_size=32", "train.py batch_size=16", "batch_size=16"),
        ("train.py --bs 4", "train.py --bs 2", "--bs 2"),
        ("train.py --train_batchsize 4", "train.py --train_batchsize 2", "--train_batchsize 2"),
    ],
)
def test_the_batch_is_changed_by_its_own_argument(command: str, halved: str, said: str) -> None:
    batch = BatchArgument.of(command.split())
    assert batch is not None
    assert " ".join(batch.with_size(batch.size // 2)) == halved
    assert batch.said(batch.size // 2) == said


@pytest.mark.parametrize(
    "command",
    [
        "train.py",
        "train.py --batch-size 0",
        "x batch_size=0",
        "train.py --batches-per-epoch 9",
        "x --absolute 8",
    ],
)
def test_a_command_without_such_an_argument_is_left_alone(command: str) -> None:
    assert BatchArgument.of(command.split()) is None


@pytest.mark.parametrize("limit", [*range(1, 70), 1000, 12345])
@pytest.mark.parametrize("first", [1, 8, 100])
def test_the_search_ends_within_a_32nd_below_the_limit(first: int, limit: int) -> None:
    tried = []

    def fits(size: int) -> bool:
        tried.append(size)
        return size <= limit

    found = largest(first, fits)
    assert found.too_large is not None and found.fits <= limit < found.too_large
    assert found.too_large - found.fits <= max(1, found.fits // 32)
    assert len(tried) == len(set(tried)) <= 22


def test_the_search_says_when_nothing_fits_and_when_all_does() -> None:
    assert largest(8, lambda size: False) == Largest(0, 1)
    assert largest(8, lambda size: True) == Largest(MOST, None)
    assert largest(10 * MOST, lambda size: True) == Largest(10 * MOST, None)

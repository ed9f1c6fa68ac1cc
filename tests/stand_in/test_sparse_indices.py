"""Sparse tensors: how many indices are left when each is there once, which values decide."""

from __future__ import annotations

import pytest
import torch
from stand_in_calls import DryRun

from gpu_guide.dry_run.command import FAILED, FITS


def test_small_indices_are_sorted_and_their_values_summed() -> None:
    indices = torch.tensor([[2, 0, 2], [1, 0, 1]], device="cuda")
    values = torch.tensor([1.0, 2.0, 3.0], device="cuda")
    one = torch.sparse_coo_tensor(indices, values, (3, 2)).coalesce()
    assert one.indices().tolist() == [[0, 2], [0, 1]] and one.is_coalesced()
    assert one.values().tolist() == [2.0, 4.0]


def test_large_ones_are_taken_as_distinct_and_told(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
    import torch

    table = torch.nn.Embedding(100_000, 64, sparse=True).cuda()
    optimizer = torch.optim.SparseAdam(table.parameters())
    for _ in range(2):
        table(torch.randint(100_000, (64, 512), device="cuda")).sum().backward()
        print(table.weight.grad.coalesce().values().shape)
        optimizer.step()
        optimizer.zero_grad()
    """
    status, report = dry(code)
    assert status == FITS
    assert capfd.readouterr().out.split("\n")[0] == "torch.Size([32768, 64])"
    sizes = [one for one in report["assumed"] if one["kind"] == "size"]
    assert {one["own"]["text"].partition("(")[0] for one in sizes} >= {
        "print",
        "optimizer.step",
    }


def test_a_product_is_refused_with_a_remedy(dry: DryRun, capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    import torch

    i = torch.tensor([[0, 1], [1, 0]], device="cuda")
    s = torch.sparse_coo_tensor(i, torch.ones(2, device="cuda"), (1000, 1000))
    torch.sparse.mm(s, torch.ones(1000, 2, device="cuda"))
    """
    status, _ = dry(code)
    said = capfd.readouterr().err
    assert status == FAILED and "leave that operator out to see the memory of the rest" in said

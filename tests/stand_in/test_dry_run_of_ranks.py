"""Dry runs of several processes: DDP, FSDP2, tensor and pipeline parallelism, by NCCL."""

from __future__ import annotations

import pytest
from stand_in_calls import DryRun

from gpu_guide.dry_run.command import FITS


def test_ranks_run_through_pytorchs_nccl(dry: DryRun) -> None:
    code = """
    import os
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    model = nn.Sequential(*[nn.Linear(1024, 1024, bias=False) for _ in range(8)]).cuda()
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(2):
        model(torch.randn(64, 1024, device=rank)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    total = torch.ones(1, device=rank)
    dist.all_reduce(total)
    dist.destroy_process_group()
    """
    launcher = ("torchrun", "--standalone", "--nproc-per-node", "2")
    status, report = dry(code, card="a100", launcher=launcher, count=2)
    assert status == FITS and [one["rank"] for one in report["ranks"]] == [0, 1]
    whole = 8 * 1024 * 1024 * 4
    assert report["kinds"]["weights"] == whole // 2
    assert report["kinds"]["optimizer"] >= whole


def test_buckets_of_ddp_are_named(dry: DryRun) -> None:
    code = """
    import os
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    model = DistributedDataParallel(nn.Linear(2048, 2048, bias=False).cuda(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(2):
        model(torch.randn(64, 2048, device=rank)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()
    """
    launcher = ("torchrun", "--standalone", "--nproc-per-node", "2")
    status, report = dry(code, launcher=launcher, count=2)
    assert status == FITS
    assert report["kinds"]["communication"] >= report["kinds"]["weights"] == 2048 * 2048 * 4


def test_tensors_are_split_among_ranks_and_each_half_is_sharded_again(dry: DryRun) -> None:
    code = """
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        SequenceParallel,
        loss_parallel,
        parallelize_module,
    )

    mesh = init_device_mesh("cuda", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.cuda.set_device(dist.get_rank())
    model = nn.Sequential(
        nn.Embedding(8192, 512),
        nn.LayerNorm(512),
        nn.Linear(512, 4096, bias=False),
        nn.ReLU(),
        nn.Linear(4096, 512, bias=False),
        nn.Linear(512, 8192, bias=False),
    ).cuda()
    parallelize_module(model, mesh["tp"], {
        "0": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "1": SequenceParallel(),
        "2": ColwiseParallel(input_layouts=Shard(1)),
        "4": RowwiseParallel(output_layouts=Shard(1)),
        "5": ColwiseParallel(input_layouts=Shard(1), use_local_output=False),
    })
    fully_shard(model, mesh=mesh["dp"])
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(2):
        words = torch.randint(8192, (4, 128), device="cuda")
        with loss_parallel():
            loss = nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    dist.destroy_process_group()
    """
    launcher = ("torchrun", "--standalone", "--nproc-per-node", "4")
    status, report = dry(code, card="a100", launcher=launcher, count=4)
    assert status == FITS and [one["rank"] for one in report["ranks"]] == [0, 1, 2, 3]
    # Each rank holds a quarter of what is split, and half of the norm's weight and bias.
    split = (2 * 8192 * 512 + 2 * 512 * 4096) * 4
    assert report["kinds"]["weights"] == split // 4 + 2 * 512 * 4 // 2
    assert report["kinds"]["optimizer"] == 2 * report["kinds"]["weights"]


def test_a_stage_of_a_pipeline_learns_from_the_one_before_what_comes(dry: DryRun) -> None:
    code = """
    import os
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    rank, last = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]) - 1
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    # The last one is larger, so that no rank can take its own shapes for those of its peers.
    sizes = [1024, 2048, 8192]
    part = nn.Linear(sizes[rank], sizes[rank + 1], bias=False).cuda()
    stage = PipelineStage(part, rank, last + 1, device)
    schedule = Schedule1F1B(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.SGD(part.parameters(), lr=0.1)
    for step in range(2):
        if rank == 0:
            schedule.step(torch.randn(64, sizes[0], device=device))
        else:
            schedule.step(target=torch.randn(64, sizes[-1], device=device))
        optimizer.step()
        optimizer.zero_grad()
    dist.destroy_process_group()
    """
    launcher = ("torchrun", "--standalone", "--nproc-per-node", "2")
    status, report = dry(code, card="a100", launcher=launcher, count=2)
    assert status == FITS and [one["rank"] for one in report["ranks"]] == [0, 1]
    assert report["kinds"]["weights"] == 2048 * 8192 * 4  # of the fuller one
    first, second = (one["allocated"] for one in report["ranks"])
    assert second - first > (8192 - 1024) * 2048 * 4


def test_nobody_waits_for_a_rank_that_has_ended(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
    import os
    import torch
    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    x = torch.ones(1, device="cuda") + rank
    dist.all_reduce(x)
    if rank == 1:
        os._exit(0)
    dist.all_reduce(x)
    print("sum", x.item())
    dist.destroy_process_group()
    """
    launcher = ("torchrun", "--standalone", "--nproc-per-node", "2")
    status, report = dry(code, launcher=launcher, count=2)
    assert status == FITS and [one["rank"] for one in report["ranks"]] == [0, 1]
    # 1 + 2 of both, then its own for that of the other.
    assert "sum 6.0" in capfd.readouterr().out

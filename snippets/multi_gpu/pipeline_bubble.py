"""The bubble of a pipeline: the share of time that a stage waits.

流水线的气泡：每个阶段有多少时间在等。
"""


def idle(stages, microbatches):
    """Play GPipe in unit steps: forward through the stages, then back."""
    # zh: 按单位时间推演 GPipe：先前向经过各个阶段，再反向回来。
    free, ends = [0] * stages, {}
    jobs = [(m, s) for m in range(microbatches) for s in range(2 * stages)]
    # zh: 先排完所有的前向，再排反向；任务 s 与 2·stages-1-s 在同一个阶段。
    # en: All forwards come first; the jobs s and 2 * stages - 1 - s run on
    #   the same stage.
    for m, s in sorted(jobs, key=lambda job: (job[1] >= stages, job)):
        stage = min(s, 2 * stages - 1 - s)
        ends[m, s] = max(free[stage], ends.get((m, s - 1), 0)) + 1
        free[stage] = ends[m, s]
    return 1 - 2 * microbatches / max(free)


for microbatches in (1, 4, 8, 16, 32):
    share = idle(4, microbatches)
    assert abs(share - 3 / (microbatches + 3)) < 1e-9
    print(f"4 stages, {microbatches} microbatches: {share:.0%} idle")
    #> 4 stages, 1 microbatches: 75% idle
    #> 4 stages, 4 microbatches: 43% idle
    #> 4 stages, 8 microbatches: 27% idle
    #> 4 stages, 16 microbatches: 16% idle
    #> 4 stages, 32 microbatches: 9% idle

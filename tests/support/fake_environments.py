"""Machines that records can be from, made up: one with a GPU, and two without."""

from __future__ import annotations

from dataclasses import replace

from gpu_guide.run.machine import Environment

GPU = Environment(
    id="nvidia-h100",
    gpu="NVIDIA H100 80GB HBM3",
    gpus=1,
    driver="580.1",
    cuda="13.0",
    torch="2.11.0+cu130",
    python="3.12.1",
    system="Linux x86_64",
    date="2026-11-21",
)
NO_GPU = replace(GPU, id="cuda-build-no-gpu", gpu="", gpus=0, driver="")
CPU = replace(NO_GPU, id="cpu", cuda="", torch="2.13.0+cpu")

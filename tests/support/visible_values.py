"""Values of CUDA_VISIBLE_DEVICES as somebody might write them, for the tests of who reads them."""

from __future__ import annotations

import random

UUIDS = [
    "GPU-5a0c1f3e-7d52-4b1e-9c86-20f4a1b7e3d9",
    "GPU-8932f937-46ad-4c05-b6f2-9e1d70c2a854",
    "GPU-89e4d60b-c173-4f28-8a3d-514b6e0f97c2",
    "GPU-c7b19d42-0e86-4a5f-93b0-d8627fe15ca3",
    "GPU-1e6fb825-93c4-47da-a05e-6b3c49d801f7",
    "GPU-d25a7c90-5f1b-4e63-8d47-f09ab3e6c218",
    "GPU-f4038be1-b2d9-40c7-96fa-7ce5128d0b46",
    "GPU-7b9de516-284f-4c3a-b1e8-03a7f6c59d2e",
]
"""Of the GPUs on the page: theme/assets/visible.js has the same. Two begin alike."""

_MISTAKES = """
 | |-|+|-1|-0|+2|01|1x|x1|all|cuda:1|"0|0 1|2;3|GPU-|GPU-8|GPU-89|GPU-ff|gpu-8932| GPU-c7|MIG-a
|MIG-b|99999999999|18446744073709551616|1.5|0x1|1_0|，1|"""
_ODD = [entry.rstrip("\n") for entry in _MISTAKES.split("|")]
"""What is seldom written, or wrong."""


def machine(rng: random.Random) -> list[str]:
    """The UUIDs of one to eight GPUs."""
    return UUIDS[: rng.randint(1, 8)]


def random_value(rng: random.Random, uuids: list[str]) -> str | None:
    """A value made of numbers, UUIDs, beginnings of UUIDs and mistakes; None: it is not set."""
    if rng.random() < 0.01:
        return None
    kind = rng.choice(["numbers", "UUIDs", "both", "anything", "MIG"])
    entries = []
    for _ in range(rng.randint(1, 5)):
        uuid = rng.choice(UUIDS)
        number = f"{rng.choice(['', '', '', ' '])}{rng.randrange(len(uuids) + 2)}"
        known = rng.choice([uuid, uuid[: rng.randint(4, 12)]])
        made = {"numbers": number, "UUIDs": known, "MIG": f"MIG-{rng.randrange(6)}"}
        made["both"] = rng.choice([number, known])
        made["anything"] = "".join(rng.choice("0123 -+xGPU") for _ in range(rng.randint(0, 4)))
        entries.append(rng.choice(_ODD) if rng.random() < 0.12 else made[kind])
    return ",".join(entries)

"""Every machine that the data know and every form of a command: the questions to a chooser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpu_guide.data import wheel_chooser
from gpu_guide.data.wheel_search import Wish
from gpu_guide.data.wheels import Wheels, load_wheels, version
from gpu_guide.project import HERE

WHEELS = load_wheels(HERE)

SYSTEMS = {
    "Linux": ("linux_x86_64", "x86_64"),
    "Linux on Arm": ("linux_aarch64", "aarch64"),
    "WSL": ("linux_x86_64", "x86_64"),
    "Windows": ("windows", "amd64"),
    "Windows on Arm": ("windows_arm", "arm64"),
    "Darwin": ("macos", "arm64"),
}
PYTHONS = sorted(
    {name for release in WHEELS.releases for name in release.python} | {"3.8", "3.16"},
    key=lambda name: (int(name[2:].rstrip("t")), name),
)
KNOWN = [capability for gpu in WHEELS.generations for capability in gpu.capabilities]
BOARDS = [board.capability for board in WHEELS.integrated]
# 3.5 is too old for every build; 13.0 would be new, so that only PTX runs there.
CARDS = [(card,) for card in ["3.5", "3.7", *KNOWN, *BOARDS, "11.0", "13.0"]]
PAIRS = [("6.1", "8.9"), ("6.1", "12.0"), ("7.0", "12.0"), ("8.0", "9.0"), ("3.5", "8.6")]
TORCHES = ["", *(release.torch for release in WHEELS.releases)]
GPUS = [
    *((capability,) for gpu in WHEELS.generations for capability in gpu.capabilities),
    *((board,) for board in BOARDS),
    ("3.5",),
    ("13.0",),
    *PAIRS,
]
# A driver below and at each number at which an answer may change, and none.
LEAST = {d.linux for d in WHEELS.drivers} | {d.windows for d in WHEELS.drivers}
LEAST |= {gpu.driver for gpu in WHEELS.generations if gpu.driver}
LEAST |= {
    branch.driver
    for branch in WHEELS.branches
    if branch.cuda in [board.since for board in WHEELS.integrated]
}
DRIVERS = ["", "440.33", *sorted(LEAST, key=version), "615.65"]
PLATFORMS = {
    "linux": "Linux",
    "wsl": "WSL",
    "linux-arm": "Linux on Arm",
    "windows": "Windows",
    "mac": "Darwin",
}
FORMS = [
    {"tool": tool, "china": china, "packages": packages}
    for tool in ("pip", "uv", "conda")
    for china in (False, True)
    for packages in ((), ("torchvision",), ("torchaudio",), ("torchvision", "torchaudio"))
]


@pytest.fixture(autouse=True, scope="module")
def remembered() -> Iterator[None]:
    """The searches for a build, and for what would have to change, remember what they found: here
    they are asked millions of times."""
    search, look = wheel_chooser.find, wheel_chooser._needs
    found: dict[object, object] = {}
    needed: dict[object, list[dict[str, str]]] = {}

    def find(wheels: Wheels, wish: Wish) -> object:
        audio = "torchaudio" in wish.packages
        key = (wish.system, wish.gpus, wish.driver, wish.python, wish.torch, audio)
        if key not in found:
            found[key] = search(wheels, wish)
        return found[key]

    def needs(wheels: Wheels, wish: Wish) -> list[dict[str, str]]:
        audio = "torchaudio" in wish.packages
        key = (wish.system, wish.gpus, wish.driver, wish.python, wish.torch, audio)
        if key not in needed:
            needed[key] = list(look(wheels, wish))
        return [dict(need) for need in needed[key]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wheel_chooser, "find", find)
        patch.setattr(wheel_chooser, "_needs", needs)
        yield

"""The wheel chooser of install/index: a reader's machine and wishes, and the command for them.

theme/assets/wheel-chooser.js has the same rules for the same data (`carried`), so that the page
answers without a server; a test compares the two, and both with the doctor.
An answer holds commands, and keys of words with their values: render/words.py has the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from gpu_guide.data.wheel_search import (
    NEWEST,
    SYSTEMS,
    Found,
    Wish,
    find,
    least_driver,
    torchaudio,
)
from gpu_guide.data.wheels import INDEX, Release, Wheels, version

TOOLS = ("pip", "uv", "conda")
CONDA = ("linux", "wsl", "windows", "mac")
"""Where conda-forge has what the pages say of it: https://conda-forge.org/docs/user/cuda/"""
CONDA_CUDA, CONDA_LEAST = "12", "7.5"
"""The oldest CUDA and compute capability that are promised of its builds
(https://github.com/conda-forge/pytorch-cpu-feedstock/pull/393)."""
USUAL_PYTHON = 13
"""The Python 3 that most packages support: proposed where the present one will not do."""
PYPI_MIRROR = "https://pypi.tuna.tsinghua.edu.cn/simple"
WHEEL_MIRROR = "https://mirror.sjtu.edu.cn/pytorch-wheels"
CONDA_MIRROR = "https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/conda-forge"

OTHER_MAKERS = ("amd", "intel")
"""The word in place of a compute capability for a GPU that runs no CUDA build."""

Said = tuple[str, dict[str, Any]]
"""A key of words, and the values in it."""


@dataclass
class Answer:
    """The commands, those that prepare an environment and those that install, why they are these,
    and how to check them. Without any `install`, `why` says why there is none."""

    prepare: list[str] = field(default_factory=list)
    install: list[str] = field(default_factory=list)
    why: list[Said] = field(default_factory=list)
    check: str = ""
    expect: list[Said] = field(default_factory=list)
    needs: list[dict[str, str]] = field(default_factory=list)


def answer(wheels: Wheels, wish: Wish) -> Answer:
    """The command for this wish, or why there is none."""
    if wish.system == "mac-intel":
        return Answer(why=[("none_intel_mac", {})])
    for maker in OTHER_MAKERS:
        if maker in wish.gpus and wish.system != "mac":
            return Answer(why=[(f"none_{maker}", {})])
    if wish.tool == "conda":
        return _conda(wheels, wish)
    if wish.system == "mac" or not wish.gpus:
        return _without_cuda(wheels, wish)
    return _with_cuda(wheels, wish)


def _with_cuda(wheels: Wheels, wish: Wish) -> Answer:
    cards = sorted(set(wish.gpus), key=version)
    for start in range(len(cards)):
        kept = replace(wish, gpus=tuple(cards[start:]))
        if found := find(wheels, kept):
            done = _installed(wheels, kept, found)
            if start:
                done.why.insert(0, ("why_without", {"gpus": cards[:start]}))
            return done
        if needs := list(_needs(wheels, kept)):
            return _refused(wheels, kept, needs)
    boards = [b.boards[0] for b in wheels.integrated if b.capability in cards]
    if boards:
        return Answer(why=[("none_jetson", {})])
    return Answer(why=[("none_build", {"gpus": cards})])


def _needs(wheels: Wheels, wish: Wish) -> Iterator[dict[str, str]]:
    """What would have to change: each entry alone would do. The fewest changes at once."""
    fixed = {b.capability for b in wheels.integrated} & {*wish.gpus}
    drivers = [] if fixed else [NEWEST]  # a Jetson's driver comes with its JetPack
    plain = {p for release in wheels.releases for p in release.python if not p.endswith("t")}
    pythons = sorted(plain, key=lambda p: (abs(version(p)[1] - USUAL_PYTHON), version(p)))
    options = {"driver": drivers, "python": pythons, "torch": [""] if wish.torch else []}
    for count in range(1, len(options) + 1):
        some = False
        for names in combinations(options, count):
            for change in _changes(options, names):
                if found := find(wheels, replace(wish, **change)):
                    if "driver" in change:
                        change["driver"] = least_driver(wheels, wish, found.build.cuda)
                    if "torch" in change:
                        change["torch"] = found.build.torch
                    some = True
                    yield change
                    break
        if some:
            return


def _changes(options: dict[str, list[str]], names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Every choice of a value for each of the names, where each has one."""
    if not names:
        yield {}
        return
    for value in options[names[0]]:
        for rest in _changes(options, names[1:]):
            yield {names[0]: value, **rest}


def _refused(wheels: Wheels, wish: Wish, needs: list[dict[str, str]]) -> Answer:
    done = Answer(needs=needs)
    done.why.append(("none_now" if wish.driver else "none_no_driver", {}))
    done.why += [("need", {"changes": list(need.items())}) for need in needs]
    last = [
        generation.last_driver
        for generation in wheels.generations
        if generation.last_driver and {*generation.capabilities} & {*wish.gpus}
    ]
    if last and any("driver" in need for need in needs):
        done.why.append(("why_last_driver", {"driver": min(last, key=version)}))
    return done


def _installed(wheels: Wheels, wish: Wish, found: Found) -> Answer:
    build = found.build
    done = _begun(wish)
    least = least_driver(wheels, wish, build.cuda)
    done.why.append(
        (
            "why_build",
            {"cuda": build.cuda, "driver": least, "gpus": list(wish.gpus), "torch": build.torch},
        )
    )
    audio = torchaudio(wheels, wish, build.torch, build.cuda)
    if wish.china:
        _from_mirror(wheels, wish, done, wheels.release(build), build.cuda, audio)
    else:
        torch = f'"torch<{found.below}"' if found.below else "torch"
        if wish.torch:
            torch = f'"torch=={wish.torch}.*"'
        elif found.below:
            done.why.append(("why_below", {"torch": found.below, "tag": build.tag}))
        _install(wish, done, torch, audio, f" --index-url {build.index}")
    if wish.system == "windows" and not wish.china:
        done.why.append(("why_windows", {}))
    if wish.system == "wsl":
        done.why.append(("why_wsl", {}))
    _no_audio(wheels, wish, done, build.torch, audio)
    done.check = _CHECK.format("torch.version.cuda, torch.cuda.is_available()")
    done.expect.append(("expect_cuda", {"cuda": build.cuda}))
    return done


def _without_cuda(wheels: Wheels, wish: Wish) -> Answer:
    able = [r for r in wheels.releases if wish.python in r.python]
    chosen = [r for r in able if wish.torch in ("", r.torch)]
    if not chosen:
        return _other_release(wheels, wish, able)
    release, mac = chosen[0], wish.system == "mac"
    done = _begun(wish)
    done.why.append(("why_mac" if mac else "why_cpu", {}))
    audio = torchaudio(wheels, wish, release.torch, "")
    plain = wish.system in ("mac", "windows")
    if wish.china and not plain:
        _from_mirror(wheels, wish, done, release, "", audio)
    else:
        torch = f'"torch=={wish.torch}.*"' if wish.torch else "torch"
        index = "" if plain else f" --index-url {INDEX}cpu"
        if wish.china:
            index = f" --index-url {PYPI_MIRROR}"
            done.why.append(("why_pypi_mirror_plain", {}))
        _install(wish, done, torch, audio, index)
    _no_audio(wheels, wish, done, release.torch, audio)
    done.check = _CHECK.format("torch.backends.mps.is_available()" if mac else "torch.version.cuda")
    done.expect.append(("expect_mac" if mac else "expect_cpu", {}))
    return done


def _other_release(wheels: Wheels, wish: Wish, able: list[Release]) -> Answer:
    """No release of torch that is wished for has this Python."""
    needs: list[dict[str, str]] = []
    wished = [r for r in wheels.releases if wish.torch in ("", r.torch)]
    plain = [p for p in wished[0].python if not p.endswith("t")]
    needs.append({"python": min(plain, key=lambda p: abs(version(p)[1] - USUAL_PYTHON))})
    if able:
        needs.append({"torch": able[0].torch})
    return _refused(wheels, replace(wish, driver=NEWEST), needs)


def _conda(wheels: Wheels, wish: Wish) -> Answer:
    """conda-forge chooses the CUDA itself; what is not known of its builds is left to pip."""
    if wish.system not in CONDA:
        return Answer(why=[("none_conda", {})])
    if wish.python.endswith("t"):
        return Answer(why=[("none_conda_threads", {})])
    if wish.torch:
        return Answer(why=[("none_conda_torch", {})])
    if wish.python not in wheels.releases[0].python:
        return _other_release(wheels, wish, [])
    cuda = wish.gpus and wish.system != "mac"
    if cuda:
        boards = {board.capability for board in wheels.integrated}
        if any(version(c) < version(CONDA_LEAST) or c in boards for c in wish.gpus):
            return Answer(why=[("none_conda_gpu", {"gpu": CONDA_LEAST})])
        least = least_driver(wheels, wish, f"{CONDA_CUDA}.0")
        if version(wish.driver or "0") < version(least):
            return _refused(wheels, wish, [{"driver": least}])
    kind = '"pytorch=*=cuda*"' if cuda else '"pytorch=*=cpu*"'
    kind = "pytorch" if wish.system == "mac" else kind
    channel = f"-c {CONDA_MIRROR} --override-channels" if wish.china else "-c conda-forge"
    names = " ".join([kind, *wish.packages])
    done = Answer(install=[f"conda create -n torch {channel} python={wish.python} {names}"])
    done.install.append("conda activate torch")
    done.why.append(("why_conda" if cuda else "why_conda_plain", {}))
    if wish.china:
        done.why.append(("why_conda_mirror", {}))
    if wish.system == "wsl":
        done.why.append(("why_wsl", {}))
    asked = "torch.version.cuda, torch.cuda.is_available()"
    if wish.system == "mac":
        asked = "torch.backends.mps.is_available()"
    done.check = _CHECK.format(asked if cuda or wish.system == "mac" else "torch.version.cuda")
    expect = "expect_conda" if cuda else "expect_mac" if wish.system == "mac" else "expect_cpu"
    done.expect.append((expect, {}))
    return done


_CHECK = 'python -c "import torch; print(torch.__version__, {})"'


def _begun(wish: Wish) -> Answer:
    """A fresh environment, entered."""
    windows = wish.system == "windows"
    python = f"py -{wish.python}" if windows else f"python{wish.python}"
    make = f"{python} -m venv .venv"
    if wish.tool == "uv":
        make = f"uv venv --python {wish.python}"
    enter = r".venv\Scripts\activate" if windows else "source .venv/bin/activate"
    return Answer(prepare=[make, enter])


def _install(wish: Wish, done: Answer, torch: str, audio: str, index: str) -> None:
    """torch and torchvision, which pip fits to each other; torchaudio by itself, because its
    metadata may name no torch, and because an index that lacks it must not keep torch out."""
    pip = "uv pip" if wish.tool == "uv" else "python -m pip"
    vision = " torchvision" if "torchvision" in wish.packages else ""
    done.install.append(f"{pip} install {torch}{vision}{index}")
    if audio:
        done.install.append(f"{pip} install torchaudio=={audio}{index}")
        done.why.append(("why_audio", {"audio": audio}))


def _from_mirror(
    wheels: Wheels, wish: Wish, done: Answer, release: Release, cuda: str, audio: str
) -> None:
    """From a mirror of PyPI where PyPI has this build, else from one of PyTorch's wheels, whose one
    index takes a whole version."""
    pypi = bool(cuda) and getattr(release, SYSTEMS[wish.system]) == cuda
    local = "" if pypi else "+cu" + cuda.replace(".", "") if cuda else "+cpu"
    torch, vision = release.latest, ""
    if "torchvision" in wish.packages:
        pair = wheels.companion("torchvision", release.torch)
        vision = f" torchvision=={pair.version}{local}"
        torch = pair.torch  # the version that it is sure to run with
    index = f" --index-url {PYPI_MIRROR}"
    if not pypi:
        index = f" --index-url {WHEEL_MIRROR} --extra-index-url {PYPI_MIRROR}"
        index += " --index-strategy unsafe-best-match" if wish.tool == "uv" else ""
    pip = "uv pip" if wish.tool == "uv" else "python -m pip"
    done.install.append(f"{pip} install torch=={torch}{local}{vision}{index}")
    if audio:
        done.install.append(f"{pip} install torchaudio=={audio}{local}{index}")
        done.why.append(("why_audio", {"audio": audio}))
    if pypi:
        done.why.append(("why_pypi_mirror", {"torch": torch, "cuda": cuda}))
    else:
        done.why.append(("why_wheel_mirror", {"local": local}))
        if wish.tool == "uv":
            done.why.append(("why_uv_mirror", {}))


def _no_audio(wheels: Wheels, wish: Wish, done: Answer, torch: str, audio: str) -> None:
    if "torchaudio" in wish.packages and not audio:
        last = wheels.companion("torchaudio", torch).version
        done.why.append(("why_no_audio", {"audio": last, "python": wish.python}))


def carried(wheels: Wheels) -> dict[str, Any]:
    """What the page's program needs of the data, in short keys."""
    released = [
        [r.torch, r.latest, list(r.python), [r.linux_x86_64, r.linux_aarch64]]
        for r in wheels.releases
    ]
    built = [
        [b.torch, b.cuda, int("published" not in b.unchecked), list(b.x86_64), list(b.aarch64)]
        for b in wheels.builds
        if b.published
    ]
    return {
        "releases": released,
        "builds": built,
        "drivers": [[d.cuda, d.linux, d.windows] for d in wheels.drivers],
        "branches": [[b.driver, b.cuda] for b in wheels.branches],
        "generations": [
            [g.name, list(g.capabilities), list(g.cards), g.driver, g.last_driver]
            for g in wheels.generations
        ],
        "boards": [[b.capability, list(b.boards), b.since] for b in wheels.integrated],
        "companions": [[c.package, c.version, c.torch, list(c.fits)] for c in wheels.companions],
        "series": [[s.label, s.names, s.capability] for s in wheels.series],
    }

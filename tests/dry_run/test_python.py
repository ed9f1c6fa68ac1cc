"""The reader's own Python, named by `--python`: nothing is installed there, and it has to fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.problems import GuideError
from gpu_guide.stand_in.environments import at


def made(folder: Path, cuda: str | None, *, torch: bool = True) -> Path:
    """The Python of a virtual environment with a torch for this CUDA, and all headers."""
    site = folder / "lib" / "python3.12" / "site-packages"
    headers = site / "nvidia" / "cu13" / "include" / "crt"
    headers.mkdir(parents=True)
    (headers / "host_defines.h").touch()
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    if torch:
        (site / "torch").mkdir()
        said = f"__version__ = '2.13.0+x'\ncuda: Optional[str] = {cuda!r}\n"
        (site / "torch" / "version.py").write_text(said, encoding="utf-8")
    return python


def test_an_environment_for_cuda_13_is_taken_as_it_is(tmp_path: Path) -> None:
    environment = at(made(tmp_path, "13.0"))
    assert environment.torch == "2.13.0+x" and environment.folder == tmp_path
    assert environment.headers == [environment.nvidia / "include"]


@pytest.mark.parametrize(
    ("cuda", "torch", "said"),
    [
        ("12.8", True, "is built for CUDA 12.8"),
        (None, True, "is built without CUDA"),
        ("13.0", False, "has no torch"),
    ],
)
def test_another_one_is_refused_with_the_reason(
    tmp_path: Path, cuda: str | None, torch: bool, said: str
) -> None:
    with pytest.raises(GuideError, match=said):
        at(made(tmp_path, cuda, torch=torch))


def test_what_is_no_environment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GuideError, match="not the Python of a virtual environment"):
        at(tmp_path / "bin" / "python")
    python = made(tmp_path, "13.0")
    python.unlink()
    with pytest.raises(GuideError, match="not the Python of a virtual environment"):
        at(python)

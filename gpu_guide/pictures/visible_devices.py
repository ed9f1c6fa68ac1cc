"""What CUDA_VISIBLE_DEVICES leaves a process to see, and under which index."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas

_ROW, _BOX, _LEFT, _RIGHT = 34, 24, 112, 96


def visible(variable: str, count: int) -> list[int]:
    """The GPUs of a machine with `count` that become cuda:0, cuda:1 and so on.

    The list ends at the first entry that names no GPU, as CUDA reads it; a GPU that is named twice
    leaves none (CUDA C++ Programming Guide 13.0, "CUDA Environment Variables").
    """
    seen: list[int] = []
    for word in variable.split(","):
        if not word.strip().isdigit() or int(word) >= count:
            break
        if int(word) in seen:
            return []
        seen.append(int(word))
    return seen


def draw(variable: str, count: int, names: Mapping[str, str]) -> Canvas:
    """The machine's GPUs on the left, those of the process on the right, and which is which.

    `names` holds `machine` and `process`, the heads of both sides, and `gpu`.
    """
    canvas = Canvas()
    seen = visible(variable, count)
    right = WIDTH - EDGE - _RIGHT
    canvas.text(EDGE, 14, f"CUDA_VISIBLE_DEVICES={variable}", "code")
    canvas.text(EDGE, 40, names["machine"], "small")
    canvas.text(right, 40, names["process"], "small")
    for gpu in range(count):
        look = "block" if gpu in seen else "segment"
        canvas.box(EDGE, 50 + gpu * _ROW, _LEFT, _BOX, f"{names['gpu']} {gpu}", look)
    for index, gpu in enumerate(seen):
        y = 50 + index * _ROW
        canvas.box(right, y, _RIGHT, _BOX, f"cuda:{index}", "box")
        source = 50 + gpu * _ROW + _BOX / 2
        canvas.arrow(EDGE + _LEFT + 4, source, right - 4, y + _BOX / 2)
    return canvas

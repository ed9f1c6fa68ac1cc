"""Small data for scripts that others wrote, and weights made at random: nothing is downloaded.

Every function writes below `folder` in the form that a script reads, the same at each call. What
needs a library is made by `python`, the Python that runs the script.
"""

from __future__ import annotations

import inspect
import json
import random
import shlex
import struct
import subprocess
import wave
import zlib
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

RANDOM_WEIGHTS = Path(__file__).parent / "random_weights.py"
_WORDS = 300
"""Different words of a text."""


def make(said: str, folder: Path, python: Path) -> None:
    """Make what `said` names, such as `images at=train count=8`. Raises ValueError for what no
    function here makes, CalledProcessError where a library is missing."""
    function, given = _parsed(said)
    function(folder, python, **given)


def check(said: str) -> None:
    """Raise ValueError where `make` would for its words."""
    _parsed(said)


def _parsed(said: str) -> tuple[Callable[..., None], dict[str, Any]]:
    name, *words = shlex.split(said)
    pairs = [word.partition("=")[::2] for word in words]
    given = {key: int(text) if text.isdigit() else text for key, text in pairs}
    if name not in MAKERS:
        raise ValueError(f"{name!r} makes nothing; known are {', '.join(MAKERS)}")
    try:
        inspect.signature(MAKERS[name]).bind(Path(), Path(), **given)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
    return MAKERS[name], given


def tokens(folder: Path, python: Path, at: str, count: int, most: int) -> None:
    """Numbers of 16 bits below `most`, without a head."""
    numbers = random.Random(0).choices(range(most), k=count)
    _file(folder, at).write_bytes(array("H", numbers).tobytes())


def text(folder: Path, python: Path, at: str, words: int) -> None:
    """Lines of made words."""
    chance = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    known = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(_WORDS)]
    chosen = chance.choices(known, k=words)
    lines = (" ".join(chosen[at : at + 12]) for at in range(0, words, 12))
    _file(folder, at).write_text("\n".join(lines) + "\n", encoding="utf-8")


def images(
    folder: Path, python: Path, at: str, count: int, width: int, height: int, name: str = "{}.png"
) -> None:
    """PNGs of noise; `name` has the number, which may be a folder's, too."""
    for number in range(count):
        _png(_file(folder, f"{at}/{name.format(number)}"), width, height, number)


def digits(folder: Path, python: Path, at: str, count: int) -> None:
    """Images of 28 × 28 and their labels, as MNIST's files have them."""
    for part in ("train", "t10k"):
        pixels, labels = (
            random.Random(0).randbytes(count * 784),
            bytes(n % 10 for n in range(count)),
        )
        head = struct.pack(">4i", 2051, count, 28, 28)
        _file(folder, f"{at}/{part}-images-idx3-ubyte").write_bytes(head + pixels)
        head = struct.pack(">2i", 2049, count)
        _file(folder, f"{at}/{part}-labels-idx1-ubyte").write_bytes(head + labels)


def boxes(folder: Path, python: Path, at: str, count: int, width: int, height: int) -> None:
    """Images with rectangles in them, as COCO's files have them."""
    chance = random.Random(0)
    for part in ("train2017", "val2017"):
        images(folder, python, f"{at}/{part}", count, width, height)
        named = [
            {"id": number, "file_name": f"{number}.png", "width": width, "height": height}
            for number in range(count)
        ]
        found = []
        for number in range(count * 4):
            x, y = chance.randrange(width // 2), chance.randrange(height // 2)
            w, h = width // 3, height // 3
            corners = [x, y, x + w, y, x + w, y + h, x, y + h]
            found.append(
                {
                    "id": number,
                    "image_id": number // 4,
                    "category_id": number % 90 + 1,
                    "bbox": [x, y, w, h],
                    "area": w * h,
                    "iscrowd": 0,
                    "segmentation": [corners],
                }
            )
        categories = [{"id": number, "name": str(number)} for number in range(1, 91)]
        whole = {"images": named, "annotations": found, "categories": categories}
        file = _file(folder, f"{at}/annotations/instances_{part}.json")
        file.write_text(json.dumps(whole), encoding="utf-8")


def graphs(folder: Path, python: Path, at: str, name: str, count: int, nodes: int) -> None:
    """Small graphs with labels, as the TU collection has them."""
    chance = random.Random(0)
    edges, of_node = [], []
    for graph in range(count):
        first = graph * nodes + 1
        of_node += [graph + 1] * nodes
        for node in range(first, first + nodes):
            other = first + chance.randrange(nodes)
            edges += [(node, other), (other, node)]
    label = [node % 7 for node in range(count * nodes)]
    rows = {
        "A": [f"{a}, {b}" for a, b in edges],
        "graph_indicator": of_node,
        "graph_labels": [graph % 2 for graph in range(count)],
        "node_labels": label,
    }
    for kind, lines in rows.items():
        file = _file(folder, f"{at}/{name}/raw/{name}_{kind}.txt")
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def voices(folder: Path, python: Path, at: str, count: int, seconds: int, rate: int) -> None:
    """Noise as WAV files, and their names in a list beside the folder."""
    for number in range(count):
        sound = random.Random(number).randbytes(2 * seconds * rate)
        with wave.open(str(_file(folder, f"{at}/{number}.wav")), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(sound)
    _file(folder, f"{at}.txt").write_text("".join(f"{n}\n" for n in range(count)), encoding="utf-8")


def lines(folder: Path, python: Path, at: str, count: int, row: str) -> None:
    """The same line many times, for example of JSON."""
    _file(folder, at).write_text(f"{row}\n" * count, encoding="utf-8")


def weights(folder: Path, python: Path, kind: str, of: str | int, at: str) -> None:
    """What the function `kind` of random_weights.py makes."""
    command = [str(python), str(RANDOM_WEIGHTS), kind, str(of), str(_file(folder, at))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _file(folder: Path, at: str) -> Path:
    file = folder / at
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _png(file: Path, width: int, height: int, seed: int) -> None:
    # One row of noise for all rows: what an image shows does not matter.
    row = b"\0" + random.Random(seed).randbytes(3 * width)
    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(row * height, 1)), (b"IEND", b"")]
    with file.open("wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        for kind, content in parts:
            out.write(struct.pack(">I", len(content)) + kind + content)
            out.write(struct.pack(">I", zlib.crc32(kind + content)))


MAKERS: dict[str, Callable[..., None]] = {
    one.__name__: one
    for one in (tokens, text, images, digits, boxes, graphs, voices, lines, weights)
}

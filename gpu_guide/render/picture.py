"""A picture as a page shows it: an SVG with a title and a text for readers who do not see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.pictures import Picture
from gpu_guide.pictures import (
    boxes,
    gpu_parts,
    moved,
    number_formats,
    ring,
    split_products,
    stack,
    timeline,
    visible_devices,
)
from gpu_guide.pictures.canvas import WIDTH, Canvas
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words

Drawn = Callable[[Picture, str, Mapping[str, str]], Canvas]


def figure(picture: Picture, project: Project, say: Words, number: int) -> Markup:
    """The HTML of the picture, the `number`-th of its page.

    Raises GuideError where its content cannot be drawn, or where words do not fit.
    """
    return fill(
        "picture.html",
        id=f"picture-{number}",
        name=picture.name,
        texts=picture.texts[say.language],
        width=WIDTH,
        canvas=canvas_of(picture, project, say),
    )


def canvas_of(picture: Picture, project: Project, say: Words) -> Canvas:
    """What the picture consists of. Raises GuideError as `figure` does."""
    names = {key: word[say.language] for key, word in picture.words.items()}
    try:
        if picture.kind == "gpu":  # the one kind whose figures are data of the project
            return gpu_parts.draw(_parts(picture.content["name"], project), names)
        return _KINDS[picture.kind](picture, say.language, names)
    except (ValueError, KeyError, TypeError) as error:
        what = f"picture {picture.name!r} in {say.language}: {error}"
        raise fault(project.pictures, picture.line, what, "correct its content or words") from None


def _timeline(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    return timeline.draw(timeline.parts_of(picture.content, language), names, picture.looks)


def _formats(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    formats = [number_formats.Format(**one) for one in picture.content]
    return number_formats.draw(formats, names)


def _visible(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    return visible_devices.draw(picture.content["variable"], picture.content["count"], names)


def _ring(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    return ring.draw(picture.content["ranks"], names)


def _splits(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    notes = {split: names[f"{split}-note"] for split in picture.content}
    return split_products.draw(picture.content, names, notes)


def _stack(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    return stack.draw([stack.Layer(**_translated(one, language)) for one in picture.content])


def _calls(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    return moved.draw([moved.Call(**one) for one in picture.content], names)


def _boxes(picture: Picture, language: str, names: Mapping[str, str]) -> Canvas:
    return boxes.draw(*boxes.read(picture.content, language))


def _parts(name: str, project: Project) -> gpu_parts.Parts:
    """What data/gpus.yml says of the GPU. Raises KeyError where it says nothing of its inside."""
    data = loaded(load_gpus, project, project.data)
    chip = {chip.gpu: chip for chip in data.chips}[name]
    gpu = data.named(name)
    return gpu_parts.Parts(
        name=name,
        sms=gpu.sms,
        partitions=chip.partitions,
        memory=gpu.memory_gb,
        bandwidth=gpu.bandwidth_gbs,
        l2=chip.l2_mib,
        shared=chip.shared_kib,
        registers=chip.registers_kib,
        bus=chip.bus_gbs,
    )


def _translated(entry: Mapping[str, Any], language: str) -> dict[str, Any]:
    return {
        key: value[language] if isinstance(value, dict) else value for key, value in entry.items()
    }


_KINDS: dict[str, Drawn] = {
    "timeline": _timeline,
    "formats": _formats,
    "visible": _visible,
    "ring": _ring,
    "splits": _splits,
    "stack": _stack,
    "calls": _calls,
    "boxes": _boxes,
}

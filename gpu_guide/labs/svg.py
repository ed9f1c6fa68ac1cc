"""The pictures that matplotlib draws as SVG: `tidy` for a notebook, `inline` for a page.

A page has two colour schemes and may show many pictures, so there colours become the theme's and
ids are made the picture's own. Without metadata, unused ids and needless digits a picture is a
third of its size, and drawn twice it is the same.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_REFERENCE = re.compile(r"#([\w.-]+)\)?")
_NUMBER = re.compile(r"-?\d+\.\d+")
_TURN = re.compile(r"rotate\(-?0(?:\.0+)?(?: [^)]*)?\)")
_DROPPED = ("metadata", "style")
# Matplotlib's cycle of colours, in its order, and black, white and greys.
_COLOURS = {
    "#000000": "currentColor",
    "#1f77b4": "var(--s0)",
    "#ff7f0e": "var(--s1)",
    "#2ca02c": "var(--s3)",
    "#d62728": "var(--s7)",
    "#9467bd": "var(--s5)",
    "#8c564b": "var(--s6)",
    "#b0b0b0": "var(--guide-line)",
    "#d3d3d3": "var(--guide-line)",
    "#ffffff": "var(--md-default-bg-color)",
}
_PAPER = "fill: #ffffff"
"""The ground of a figure and of its axes: white where a notebook is read, the page's own here."""
_COLOUR = re.compile("|".join(_COLOURS))


class SvgError(ValueError):
    """A picture that is not the SVG that matplotlib writes."""


def tidy(text: str) -> str:
    """The picture without what a reader cannot see. Raises SvgError if it is no SVG."""
    root = _parse(text)
    _drop(root)
    for element in root.iter():
        _attributes(element)
    used = {name for element in root.iter() for name in _references(element)}
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)
    _unwrap(root)
    for element in root.iter(f"{_SVG}g"):
        _hoist(element)
    root.attrib = {"stroke-linejoin": "round"} | root.attrib
    root.attrib.pop("version", None)
    ET.indent(root, " ")
    ET.register_namespace("", _SVG[1:-1])
    return ET.tostring(root, encoding="unicode") + "\n"


def inline(text: str, prefix: str, alt: str) -> str:
    """The picture as part of a page: ids begin with `prefix`, `alt` is read out in its place."""
    root = _parse(text)
    for child in [child for child in root if child.get("style") == _PAPER]:
        root.remove(child)
    names = {e.attrib["id"]: f"{prefix}-{n}" for n, e in enumerate(root.iter()) if "id" in e.attrib}
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, names[value])
            elif "#" in value:
                value = _COLOUR.sub(lambda match: _COLOURS[match[0]], value)
                element.set(
                    key, _REFERENCE.sub(lambda m: m[0].replace(m[1], names.get(m[1], m[1])), value)
                )
        element.tail = element.tail.strip() if element.tail else None
        element.text = element.text.strip() if element.text else None
    width = root.attrib.pop("width", "")
    root.attrib.pop("height", None)
    root.attrib |= {"role": "img", "aria-label": alt, "style": f"max-width: {width}"}
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _parse(text: str) -> Element:
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise SvgError(f"a picture that is not SVG: {error}") from None
    if root.tag != f"{_SVG}svg":
        raise SvgError(f"a picture that is not SVG, but {root.tag}")
    return root


def _drop(element: Element) -> None:
    for child in list(element):
        if child.tag.removeprefix(_SVG) in _DROPPED:
            element.remove(child)
        else:
            _drop(child)


def _attributes(element: Element) -> None:
    """Shorter values; `href` in place of the old `xlink:href`; the page's font."""
    if f"{_XLINK}href" in element.attrib:
        element.set("href", element.attrib.pop(f"{_XLINK}href"))
    for key, value in list(element.attrib.items()):
        if key == "style":
            parts = [part.strip() for part in value.split(";")]
            value = "; ".join(part for part in parts if not part.startswith("font-family"))
        elif key not in ("id", "href", "viewBox"):
            value = _NUMBER.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), value)
            value = _TURN.sub("", " ".join(value.split()))
        if value:
            element.set(key, value)
        else:
            del element.attrib[key]


def _references(element: Element) -> set[str]:
    """The ids that the element refers to."""
    values = [v for k, v in element.attrib.items() if k in ("href", "clip-path")]
    return {name for value in values for name in _REFERENCE.findall(value)}


def _hoist(group: Element) -> None:
    """Say once what all marks of a group say: a cloud of points is mostly that."""
    marks = {(child.tag, child.get("style")) for child in group}
    tag, style = marks.pop() if len(marks) == 1 else ("", None)
    if tag == f"{_SVG}use" and style and "style" not in group.attrib:
        group.set("style", style)
        for child in group:
            del child.attrib["style"]


def _unwrap(element: Element) -> None:
    """Put the children of groups that say nothing in their group's place."""
    for child in list(element):
        _unwrap(child)
        if child.tag == f"{_SVG}g" and not child.attrib:
            place = list(element).index(child)
            element.remove(child)
            for offset, grandchild in enumerate(child):
                element.insert(place + offset, grandchild)
        elif child.tag == f"{_SVG}defs" and not len(child):
            element.remove(child)

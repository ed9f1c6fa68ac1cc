"""The picture of a page that messengers and social networks show with a link to it.

It has the page's title and the site's name. What was drawn once is kept in the project's cache.
Where there is no font for the language, there are no pictures, and nothing else is missing.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from gpu_guide.project import Project, about

NAME = "card.png"
SIZE = (1200, 630)
MARGIN = 90
PAPER, INK, ACCENT = "#1f2430", "#ffffff", "#ff9f7a"
_LARGEST, _SMALLEST, _LINES = 84, 44, 3
_SHADES = 16
_VERSION = 1
"""To be raised when another picture is drawn for the same words."""
_FONTS = {
    True: (
        "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc",
        "/usr/share/fonts/noto-cjk/NotoSansCJK-Bold.ttc",
        "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Bold.ttc",
        "/System/Library/Fonts/PingFang.ttc",
        "/System/Library/Fonts/STHeiti Medium.ttc",
        "C:/Windows/Fonts/msyhbd.ttc",
    ),
    False: (
        "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf",
        "/System/Library/Fonts/Helvetica.ttc",
        "C:/Windows/Fonts/arialbd.ttf",
    ),
}
"""By whether it has Chinese characters; these fonts have Latin letters, too. In Noto's collection,
simplified Chinese has the index 2."""


class Cards:
    """The pictures of one language's site."""

    def __init__(self, project: Project, language: str, site_name: str) -> None:
        self._cache = project.cache / "cards"
        self._name = site_name
        han = about(language).han
        self.font = None if han is None else font_for(han)
        if self.font is None:
            said = "%s: no font for it is known here, so pages get no pictures for links to them"
            logging.getLogger("mkdocs.gpu_guide").info(said, language)

    def write(self, title: str, path: Path) -> None:
        """Write the picture for a page with this title."""
        words = "\0".join((str(_VERSION), str(self.font), self._name, title))
        kept = self._cache / f"{hashlib.sha256(words.encode()).hexdigest()[:32]}.png"
        if not kept.is_file():
            self._cache.mkdir(parents=True, exist_ok=True)
            new = kept.with_suffix(f".{path.parent.name}.tmp")
            draw(title, self._name, str(self.font)).save(new, "PNG")
            new.replace(kept)  # two builds may be at it
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kept, path)


def font_for(han: bool) -> str | None:
    """The file of a font that this machine has; None without one."""
    known = (*_FONTS[han], *_FONTS[True])
    return next((path for path in known if Path(path).is_file()), None)


def draw(title: str, site_name: str, font: str) -> Image.Image:
    """The picture, in which a long title is smaller, and a very long one cut off."""
    image = Image.new("L", SIZE, 0)
    draw = ImageDraw.Draw(image)
    width = SIZE[0] - 2 * MARGIN
    size = _LARGEST
    while len(rows := list(_rows(title, _font(font, size), width))) > _LINES and size > _SMALLEST:
        size -= 8
    if len(rows) > _LINES:
        rows = [*rows[: _LINES - 1], f"{rows[_LINES - 1]}…"]
    top = 150
    for row in rows:
        draw.text((MARGIN, top), row, 255, _font(font, size))
        top += round(size * 1.35)
    draw.text((MARGIN, SIZE[1] - 130), site_name, 200, _font(font, 36))
    coloured = _coloured(image)
    ImageDraw.Draw(coloured).rectangle((MARGIN, 90, MARGIN + 120, 98), fill=_SHADES)
    return coloured


def _coloured(image: Image.Image) -> Image.Image:
    """Sixteen shades, from paper to ink: a few kilobytes, where true colours take forty."""
    shades = image.point(lambda value: value * _SHADES // 256)
    coloured = Image.frombytes("P", SIZE, shades.tobytes())
    ends = list(zip(_rgb(PAPER), _rgb(INK), strict=True))
    palette = [round(a + (b - a) * at / (_SHADES - 1)) for at in range(_SHADES) for a, b in ends]
    coloured.putpalette([*palette, *_rgb(ACCENT)])
    return coloured


def _rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


@cache
def _font(path: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, index=2 if "NotoSansCJK" in path else 0)


def _rows(text: str, font: ImageFont.FreeTypeFont, width: int) -> Iterator[str]:
    """The text in rows: Chinese breaks between any two characters, other words at blanks."""
    row = ""
    for part in _parts(text):
        if row and font.getlength((row + part).rstrip()) > width:
            yield row.rstrip()
            row = ""
        row += part if row else part.lstrip()
    if row:
        yield row.rstrip()


def _parts(text: str) -> Iterator[str]:
    word = ""
    for character in text:
        if ord(character) > 0x2E80:
            if word:
                yield word
            word = ""
            yield character
        else:
            word += character
            if character == " ":
                yield word
                word = ""
    if word:
        yield word

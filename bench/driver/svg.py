# SPDX-License-Identifier: Apache-2.0
"""Makes matplotlib's SVG short. Each text becomes one line, and neighbours with the same style become one path."""

import re
import xml.etree.ElementTree as xml
from xml.sax.saxutils import escape

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


def _short(value):
    text = f"{round(float(value), 1):g}"
    return "0" if text == "-0" else text


def _moved(path, x, y):
    """Returns the path with short coordinates, moved by (x, y). matplotlib's paths have only absolute coordinates."""
    place = 0

    def move(match):
        nonlocal place
        place += 1
        return _short(float(match.group()) + (x if place % 2 else y))

    return " ".join(_NUMBER.sub(move, path).split())


def _style(element):
    """Shortens the numbers of a style, and of a font keeps only the size, because the font's family is named once at
    the beginning.
    """
    style = _NUMBER.sub(lambda match: _short(match.group()) if "." in match.group() else match.group(),
                        element.get("style", ""))
    style = re.sub(r"font: ?(?:[a-z]+ )*([\d.]+px)[^;]*", r"font-size:\1", style)
    return re.sub(r"\s*([:;])\s*", r"\1", style).rstrip(";")


def _text(element, at):
    if len(element):  # a power such as 10² has several elements, with positions relative to their group
        parts = "".join(_part(part, at) for part in element)
        return f"<text>{parts}</text>"
    turn = re.search(r"rotate\((-?[\d.]+)", element.get("transform", ""))
    x, y = _short(element.get("x")), _short(element.get("y"))
    turned = f' transform="rotate({_short(turn[1])} {x} {y})"' if turn and float(turn[1]) else ""
    return f'<text x="{x}" y="{y}"{turned} style="{_style(element)}">{escape(element.text)}</text>'


def _part(part, at):
    places = " ".join(_short(at[0] + float(x)) for x in part.get("x").split())
    y = _short(at[1] + float(part.get("y")))
    return f'<tspan x="{places}" y="{y}" style="{_style(part)}">{escape(part.text)}</tspan>'


class _Picture:
    def __init__(self, root):
        self.shapes = {each.get("id"): each for each in root.iter(_SVG + "path") if each.get("id")}
        self.lines = []
        self.style = None  # style of the path that is being collected
        self.parts = []

    def draw(self, element, at=(0.0, 0.0)):
        """`at` is the position of the enclosing group."""
        moved = re.match(r"translate\(([^ ,]+)[ ,]+([^)]+)\)", element.get("transform", ""))
        if moved:
            at = (float(moved[1]), float(moved[2]))
        if element.tag in (_SVG + "defs", _SVG + "metadata"):
            return
        if element.tag == _SVG + "path":
            self._add(element.get("d"), _style(element), 0, 0)
        elif element.tag == _SVG + "use":
            shape = self.shapes[element.get(_LINK)[1:]]
            self._add(shape.get("d"), _style(element) or _style(shape), float(element.get("x", 0)),
                      float(element.get("y", 0)))
        elif element.tag == _SVG + "text":
            self.flush()
            self.lines.append(_text(element, at))
        for child in element:
            self.draw(child, at)

    def _add(self, path, style, x, y):
        if style != self.style:
            self.flush()
            self.style = style
        self.parts.append(_moved(path, x, y))

    def flush(self):
        if self.parts:
            self.lines.append(f'<path d="{" ".join(self.parts)}" style="{self.style}"/>')
        self.parts = []


def compact(text):
    """Returns the same picture with coordinates that have one decimal (a tenth of a point)."""
    root = xml.fromstring(text)
    picture = _Picture(root)
    picture.draw(root)
    picture.flush()
    size = " ".join(f'{name}="{root.get(name)}"' for name in ("width", "height", "viewBox"))
    lines = "\n".join(picture.lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n'
            "<style>*{stroke-linejoin:round;stroke-linecap:butt;font-family:'DejaVu Sans',Verdana,sans-serif}</style>\n"
            f"{lines}\n</svg>\n")

"""Panels of points, and lines through some of them, on logarithmic axes, as SVG.

Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart; shapes say the same once more, and variants of
one engine differ in how their mark is filled.
"""

import math
from dataclasses import dataclass, field
from html import escape

COLOURS = {
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E73",
    "orange": "#E69F00",
    "purple": "#CC79A7",
    "black": "#222222",
    "sky": "#56B4E9",
}
FONT = "font-family=\"Helvetica, Arial, sans-serif\""
PANEL_WIDTH, PANEL_HEIGHT = 340, 230
LEFT, TOP, RIGHT, BOTTOM = 66, 40, 14, 44


@dataclass
class Style:
    """How an engine's points look: fill is full, empty, dot, half or upright."""

    label: str
    colour: str
    shape: str
    fill: str


@dataclass
class Point:
    style: Style
    x: float
    y: float
    # Shown where a mouse rests on it.
    title: str
    # Written beside it.
    label: str = ""


@dataclass
class Line:
    colour: str
    places: list


@dataclass
class Panel:
    title: str
    x_label: str
    y_label: str
    points: list
    lines: list = field(default_factory=list)


def outline(shape, x, y, r):
    """The outline of a mark, as a path."""
    if shape == "circle":
        return f"M{x - r:.1f},{y:.1f}a{r},{r} 0 1,0 {2 * r},0a{r},{r} 0 1,0 {-2 * r},0Z"
    corners = {
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "diamond": [(0, -1.25), (1.1, 0), (0, 1.25), (-1.1, 0)],
        "up": [(0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        "down": [(0, 1.2), (1.15, -0.9), (-1.15, -0.9)],
        "plus": [(-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4), (0.4, 1.2),
                 (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4)],
    }[shape]
    return "M" + "L".join(f"{x + r * dx:.1f},{y + r * dy:.1f}" for dx, dy in corners) + "Z"


def mark(style, x, y, title="", r=6):
    colour = COLOURS[style.colour]
    # Marks that are not full are see-through, so that none hides another.
    opacity = 0.85 if style.fill == "full" else 0
    parts = [
        f'<path d="{outline(style.shape, x, y, r)}" fill="{colour}" fill-opacity="{opacity}" '
        f'stroke="{colour}" stroke-width="1.8"/>'
    ]
    if style.fill == "dot":
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{colour}"/>')
    if style.fill == "half":
        parts.append(f'<path d="M{x - r:.1f},{y:.1f}L{x + r:.1f},{y:.1f}" stroke="{colour}" stroke-width="2.2"/>')
    if style.fill == "upright":
        parts.append(f'<path d="M{x:.1f},{y - r:.1f}L{x:.1f},{y + r:.1f}" stroke="{colour}" stroke-width="2.2"/>')
    return f"<g><title>{escape(title)}</title>{''.join(parts)}</g>"


def text(x, y, content, size=12, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {extra}>{escape(content)}</text>'


def extent(values):
    """The logarithms between which an axis runs: all values, with room for their marks, and at least one decade."""
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(0.08 * (high - low), 0.5 * (1 - (high - low)), 0.08)
    return low - room, high + room


def ticks(low, high):
    """Where an axis is marked: powers of ten, or 1, 2 and 5 of each where these would be few."""
    if high - low > 2:
        skip = math.ceil((high - low) / 7)
        return [10.0**exponent for exponent in range(math.ceil(low), math.floor(high) + 1) if exponent % skip == 0]
    exponents = range(math.floor(low), math.ceil(high) + 1)
    marks = [digit * 10.0**exponent for exponent in exponents for digit in (1, 2, 5)]
    return [mark for mark in marks if low <= math.log10(mark) <= high]


def tick_label(value):
    if 0.01 <= value < 1e5:
        return f"{value:g}"
    mantissa, exponent = f"{value:.0e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return ("" if mantissa == "1" else mantissa + "·") + "10" + raised


def panel_svg(panel, left, top, floor, radius):
    """One panel. Values of y below the floor are drawn on it."""
    width, height = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM
    x0, y0 = left + LEFT, top + TOP
    parts = [text(x0, top + 24, panel.title, 14, extra='font-weight="bold"')]
    if not panel.points:
        parts.append(text(x0 + width / 2, y0 + height / 2, "no results", 12, "middle"))
        return "".join(parts)
    xs = extent([point.x for point in panel.points])
    ys = extent([max(point.y, floor) for point in panel.points])
    at_x = lambda value: x0 + width * (math.log10(value) - xs[0]) / (xs[1] - xs[0])
    at_y = lambda value: y0 + height * (1 - (math.log10(max(value, floor)) - ys[0]) / (ys[1] - ys[0]))
    for value in ticks(*xs):
        parts.append(f'<path d="M{at_x(value):.1f},{y0}V{y0 + height}" stroke="#dddddd"/>')
        parts.append(text(at_x(value), y0 + height + 16, tick_label(value), 11, "middle"))
    for value in (value for value in ticks(*ys) if value > floor * 0.99):
        label = ("≤ " if value < floor * 1.01 else "") + tick_label(value)
        parts.append(f'<path d="M{x0},{at_y(value):.1f}H{x0 + width}" stroke="#dddddd"/>')
        parts.append(text(x0 - 6, at_y(value) + 4, label, 11, "end"))
    parts.append(f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#888888"/>')
    parts.append(text(x0 + width / 2, y0 + height + 34, panel.x_label, 12, "middle"))
    turned = f'transform="rotate(-90 {left + 14} {y0 + height / 2:.1f})"'
    parts.append(text(left + 14, y0 + height / 2, panel.y_label, 12, "middle", turned))
    for line in panel.lines:
        path = "L".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in line.places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[line.colour]}" stroke-opacity="0.5" stroke-width="1.5"/>')
    parts += [mark(point.style, at_x(point.x), at_y(point.y), point.title, radius) for point in reversed(panel.points)]
    taken = []
    for point in (point for point in panel.points if point.label):
        # Below and on the left, where nothing is better; one for which there is no room is left out, the legend has its mark.
        long, line = 5.5 * len(point.label), at_y(point.y) + 13
        begin = max(x0 + 3, at_x(point.x) - long)
        if line > y0 + height - 3:
            line, begin = y0 + height - 4, max(x0 + 3, begin - radius - 4)
        while any(abs(line - other) < 11 and begin < end and begin + long > start for other, start, end in taken):
            line += 11
        if line < y0 + height - 2:
            taken.append((line, begin, begin + long))
            parts.append(text(begin, line, point.label, 10))
    return "".join(parts)


def panels_svg(title, panels, styles, columns=3, floor=1e-7, radius=6):
    """All panels, with one legend under them."""
    rows = math.ceil(len(panels) / columns)
    columns = min(columns, len(panels))
    width = columns * PANEL_WIDTH
    per_line = max(1, width // 220)
    lines = math.ceil(len(styles) / per_line)
    height = rows * PANEL_HEIGHT + 20 + 24 * lines
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" {FONT} fill="#222222" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for place, panel in enumerate(panels):
        parts.append(panel_svg(panel, place % columns * PANEL_WIDTH, place // columns * PANEL_HEIGHT, floor, radius))
    for place, style in enumerate(styles):
        x = 24 + place % per_line * (width - 24) / per_line
        y = rows * PANEL_HEIGHT + 20 + place // per_line * 24
        parts.append(mark(style, x, y))
        parts.append(text(x + 14, y + 4, style.label, 12))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"

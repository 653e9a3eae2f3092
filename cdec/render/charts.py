"""Charts: SVG in a page, with a description in words, or a file for a paper.

They are drawn by matplotlib, which takes a second to import: a page draws its charts when it is
rendered as HTML.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import fill
from typing import Any

import pandas as pd

from cdec.configs import read_toml
from cdec.errors import escaped

INK = "#000000"
"""What a page shows in the colour of its text; with alpha it is the colour of rules."""
# Okabe and Ito (2008): distinct for all types of colour vision. Markers differ as well.
_SIX = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# 36 pairs with the six markers.
COLOURS = tuple(_SIX[(number + number // 6) % 6] for number in range(36))
RULE = {"color": INK, "alpha": 0.15, "linewidth": 0.6}
_MARKERS = "os^DPv"
_LINES = ("-", "--", ":", "-.")
PAGE = "page"
PAPER = ("svg", "pdf")
"""The form of a chart: embedded in a page, or the format of a file for a paper."""
WIDTHS = (3.3, 7.0)
"""Inches: a column and a page of a paper."""
_SCREEN = 4.8  # inches: a page may be as narrow as a phone


def draw_points(
    axes: Any,
    rows: pd.DataFrame,
    unit: str,
    *,
    joined: bool = False,
) -> None:
    """Draw the points of lines over conditions, with their intervals.

    ``rows``: line, condition, value, low and high; the last two are missing without an interval.
    Conditions go from left to right if the points of a line are ``joined``, else from top to
    bottom, with a mark at 0. Equal lines are drawn as one, which the legend calls a = b. ``unit``
    is the title of the axis of values.
    """
    codes, conditions = pd.factorize(rows["condition"])
    numbers = rows[["value", "low", "high"]].astype(float).assign(place=codes)
    parts = {}
    names: dict[bytes, list[str]] = {}
    for name, part in numbers.groupby(rows["line"], sort=False):
        code = part.to_numpy().tobytes()
        parts[code] = part
        names.setdefault(code, []).append(str(name))
    step = 0.6 / (len(parts) + 2)
    handles = []
    for number, part in enumerate(parts.values()):
        value = part["value"]
        place = part["place"] + step * (number - (len(parts) - 1) / 2)
        errors = [value - part["low"], part["high"] - value]
        look = {
            "color": COLOURS[number % 36],
            "marker": _MARKERS[number % 6],
            "elinewidth": 0.8,
            "capsize": 1.5,
        }
        if joined:
            look["linestyle"] = _LINES[number % 4]
            points = axes.errorbar(place, value, yerr=errors, **look)
        else:
            points = axes.errorbar(value, place, xerr=errors, linestyle="none", **look)
        handles.append(points.lines[0])
    legend_lines = draw_legend(axes, handles, [*map(" = ".join, names.values())])
    axes.spines[:].set_visible(False)
    size = axes.xaxis.label.get_size() / 72
    width = axes.figure.get_figwidth()
    if joined:
        letters = max(7, int(12 * width / (1 + len(conditions))))
        axes.set_xticks(
            range(len(conditions)), [fill(str(name), letters) for name in conditions]
        )
        axes.set_ylabel(unit)
        axes.grid(axis="y", **RULE)
        height = 0.5 * width
    else:
        axes.set_yticks(
            range(len(conditions)),
            [fill(str(name), int(8 * width)) for name in conditions],
        )
        axes.set(ylim=(len(conditions) - 0.5, -0.5), xlabel=unit)
        axes.grid(axis="x", **RULE)
        axes.axvline(0, color=INK, linewidth=0.6)
        height = size * len(conditions) * max(2.2, len(parts))
    axes.tick_params(length=0)
    axes.figure.set_figheight(height + size * (5 + 1.6 * legend_lines))


def draw_legend(axes: Any, handles: Sequence[Any], labels: Sequence[str]) -> int:
    """Draw a legend above the axes, where it covers nothing; return its number of lines."""
    letter = 0.6 * axes.xaxis.label.get_size() / 72  # inches
    letters = int(axes.figure.get_figwidth() / letter)
    handle = 6  # as wide as so many letters
    widest = min(max(map(len, labels)), letters - handle)
    # matplotlib hides a label that begins with _.
    texts = [fill(escaped(re.sub("^_", " _", label)), widest) for label in labels]
    lines = -(-len(texts) // (letters // (widest + handle)))
    axes.figure.legend(
        handles,
        texts,
        loc="outside upper left",
        ncols=-(-len(texts) // lines),
        columnspacing=1,
    )
    return lines * max(text.count("\n") + 1 for text in texts)


def image(
    draw: Callable[[Any], None],
    format: str = "svg",
    *,
    width: float = 6.4,
    height: float = 4.0,
    points: float = 10,
    ground: str = "white",
    **labels: Any,
) -> bytes:
    """Return what ``draw`` draws on axes of matplotlib with these labels, as the file of an image.

    ``format`` is png, svg or pdf; ``width`` and ``height`` in inches, of which ``draw`` may change
    the height; ``points``: size of letters. Equal input gives equal bytes; a ``matplotlibrc`` has
    no effect.
    """
    import matplotlib as mpl  # noqa: PLC0415  a second, and most commands draw nothing
    from matplotlib.figure import Figure  # noqa: PLC0415

    buffer = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A letter that matplotlib's font does not have: a browser has another font.
        warnings.filterwarnings("ignore", "Glyph")
        mpl.rcdefaults()
        choices = read_toml("figures.toml")
        mpl.rcParams.update(
            {
                **choices["style"],
                "font.size": points,
                "axes.labelsize": points,
                "lines.linewidth": 0.15 * points,
                "lines.markersize": 0.6 * points,
            }
        )
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.subplots(subplot_kw=labels))
        figure.savefig(
            buffer,
            format=format,
            dpi=150,
            facecolor=ground,
            metadata=dict.fromkeys(choices["metadata"][format]),
        )
    return buffer.getvalue()


def draw_chart(
    draw: Callable[[Any], None],
    title: str,
    description: str,
    *,
    format: str = PAGE,
    width: float = _SCREEN,
    **labels: Any,
) -> Any:
    """Return the image as SVG to embed in a page, with its title and description in words.

    It has no style sheet and no inline style, which the policy of a page may forbid. It has no
    ground, and its ink has the colour of the text around it. For a paper (another ``format``, as
    in ``image``) it is a file. The height is six tenths of the width, unless ``draw`` changes that.
    """
    draw_image = partial(
        image, draw, width=width, height=0.6 * width, ground="none", **labels
    )
    if format != PAGE:
        return draw_image(format=format, points=7 if width < 5 else 8)
    from lxml import etree  # noqa: PLC0415  few pages have charts

    root = etree.fromstring(draw_image(points=9))
    etree.strip_elements(root, "{*}style", with_tail=False)
    for node in root.iter("{*}*"):
        if re.search(r"_\d+$", node.get("id", "")):
            del node.attrib["id"]  # the same in every image
        _style_to_attributes(node)
    root.attrib.update(
        {
            "role": "img",
            "fill": "currentColor",
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
            "aria-label": title,
        }
    )
    for position, (tag, text) in enumerate(
        {"title": title, "desc": description}.items()
    ):
        element = etree.Element(f"{{{root.nsmap[None]}}}{tag}")
        element.text = text
        root.insert(position, element)
    return str(etree.tostring(root, encoding="unicode"))


def _style_to_attributes(node: Any) -> None:
    style = str(node.attrib.pop("style", ""))
    # The font in one property is not an attribute of SVG.
    style = re.sub(r"font: (?:(\w+) )?([\d.]+px) ", _font_properties, style)
    for rule in filter(str.strip, style.split(";")):
        name, _, value = rule.partition(":")
        node.set(name.strip(), value.strip().replace(INK, "currentColor"))


def _font_properties(match: re.Match[str]) -> str:
    return f"font-weight: {match[1] or 'normal'}; font-size: {match[2]}; font-family: "

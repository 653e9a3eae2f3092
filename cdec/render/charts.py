"""Charts: SVG in a page, with a description in words, or a file for a paper.

They are drawn by matplotlib, which takes a second to import: a page draws its charts when it is
rendered as HTML.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Floats

INK = "#1b1f24"
RULE = "#d0d7de"
_PALE = "#b8c0c8"
# Okabe and Ito (2008): distinct for all types of colour vision. Markers differ as well.
_SIX = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# 36 pairs with the six markers.
COLOURS = tuple(_SIX[(number + number // 6) % 6] for number in range(36))
_MARKERS = "os^DPv"
_LINES = ("-", "--", ":", "-.")
_LABEL_LENGTH = 27  # letters of the name of a line
_LABEL_DISTANCE = 0.035  # of the height: the least distance of two names
_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {
        "Date": None,
        "Creator": None,
        "Format": None,
        "Type": None,
    },
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
PAGE = "page"
PAPER = ("svg", "pdf")
"""The form of a chart: embedded in a page, or the format of a file for a paper."""
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "cdec",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have two $
}


def bar_chart(
    title: str,
    description: str,
    groups: Mapping[str, Sequence[tuple[str, int, int, str]]],
    format: str = PAGE,
) -> Any:
    """Return bars of two parts that add up to the whole: shares as lengths, then the counts.

    ``groups`` maps a heading to its bars: label, number of right ones, number of the others and
    their name.
    """
    # A line for each heading, which has no bar, and for each bar.
    headings = []
    labels = list[str]()
    bars = []
    for heading, group in groups.items():
        headings.append(len(labels))
        labels.append(heading)
        for label, right, other, name in group:
            bars.append((len(labels), right, other, name))
            labels.append(label)

    def draw(axes: Any) -> None:
        for line, right, other, name in bars:
            _draw_bar(axes, line, right, other, name)
        ticks = axes.set_yticks(range(len(labels)), labels)
        for line in headings:
            ticks[line].label1.set_fontweight("bold")
        axes.set(xlim=(0, 1), ylim=(len(labels) - 0.5, -0.5), xticks=[])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return draw_chart(draw, title, description, format, height=0.4 + 0.26 * len(labels))


def _draw_bar(
    axes: Any,
    line: int,
    right: int,
    other: int,
    name: str,
) -> None:
    whole = right + other
    share = right / whole if whole else 0.0
    other_share = 1.0 - share if whole else 0.0
    counts = f"{right:,} right, {other:,} {name}" if whole else "no links"
    axes.barh(line, share, color=COLOURS[0])
    axes.barh(
        line,
        other_share,
        left=share,
        linewidth=0,
        facecolor="white",
        hatch="/////",
        edgecolor=COLOURS[1],
    )
    axes.barh(
        line,
        1.0,
        color="none",
        edgecolor=INK,
        linewidth=0.7,
    )
    axes.text(1.02, line, counts, va="center")


def slope_chart(
    title: str,
    description: str,
    values: pd.DataFrame,
    labelled: Sequence[str],
    format: str = PAGE,
) -> Any:
    """Return a line for each system (row), over conditions (columns).

    The lines of ``labelled`` differ in colour, dash and marker, and have a label; others are grey.
    """
    coloured = values.loc[list(labelled)].sort_values(values.columns[-1], kind="stable")
    heights = _label_heights(coloured.iloc[:, -1].to_numpy(), values.to_numpy())

    def draw(axes: Any) -> None:
        last = len(values.columns) - 1
        for row in values.drop(index=coloured.index).to_numpy():
            axes.plot(row, color=_PALE, linewidth=0.7)
        lines = zip(coloured.index, coloured.to_numpy(), heights, strict=True)
        for number, (name, row, height) in enumerate(lines):
            form = _MARKERS[number % 6] + _LINES[number % 4]
            axes.plot(row, form, color=COLOURS[number % 36], markeredgecolor="white")
            axes.plot([last + 0.08, last + 0.25], [row[-1], height], color=INK, lw=0.6)
            axes.text(last + 0.3, height, _short_label(name), va="center", fontsize=8)
        axes.set_xticks(range(last + 1), values.columns, fontsize="small")
        axes.set_xlim(-0.2, last + 0.2)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.grid(color=RULE)
        axes.spines[:].set_visible(False)

    return draw_chart(draw, title, description, format, height=4.8)


def _label_heights(ends: Floats, values: Floats) -> Floats:
    """Return the heights of the labels of lines with these ends, sorted, so that none overlap.

    Each label moves up from the one below, then all move below the highest value.
    """
    highest = values.max()
    height = (highest - values.min()) or 1
    steps = _LABEL_DISTANCE * height * np.arange(len(ends))
    heights = np.maximum.accumulate(ends - steps) + steps
    heights[-1:] = np.minimum(heights[-1:], highest)
    from_top = (heights - steps)[::-1]
    return np.asarray(np.minimum.accumulate(from_top)[::-1] + steps)


def _short_label(name: str) -> str:
    if len(name) <= _LABEL_LENGTH:
        return name
    return f"{name[: _LABEL_LENGTH - 1]}…"


def image(
    draw: Callable[[Any], None],
    format: str = "svg",
    height: float = 4.0,
    *,
    paper: bool = False,
    **labels: Any,
) -> bytes:
    """Return what ``draw`` draws on axes of matplotlib with these labels, as the file of an image.

    ``format`` is png, svg or pdf; ``paper``: as wide as a column, 3.3 inches. Equal input gives
    equal bytes; a ``matplotlibrc`` has no effect.
    """
    import matplotlib as mpl  # noqa: PLC0415  a second, and most commands draw nothing
    from matplotlib.figure import Figure  # noqa: PLC0415

    buffer = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A letter that matplotlib's font does not have: a browser has another font.
        warnings.filterwarnings("ignore", "Glyph")
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        size = (6.4, height)
        if paper:
            size = (3.3, 0.7 * height)
            mpl.rcParams.update(
                {"font.size": 7, "lines.linewidth": 1, "lines.markersize": 4}
            )
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots(subplot_kw=labels))
        figure.savefig(
            buffer,
            format=format,
            dpi=150,
            metadata=_METADATA[format],
        )
    return buffer.getvalue()


def draw_chart(
    draw: Callable[[Any], None],
    title: str,
    description: str,
    format: str = PAGE,
    **options: Any,
) -> Any:
    """Return the image as SVG to embed in a page, with its title and description in words.

    It has no style sheet and no inline style, which the policy of a page may forbid. For a paper
    (``format`` is one of PAPER) it is a file, without them. ``options``: as in ``image``.
    """
    if format != PAGE:
        return image(draw, format, paper=True, **options)
    from lxml import etree  # noqa: PLC0415  few pages have charts

    root = etree.fromstring(image(draw, **options))
    etree.strip_elements(root, "{*}style", with_tail=False)
    for node in root.iter("{*}*"):
        if re.search(r"_\d+$", node.get("id", "")):
            del node.attrib["id"]  # the same in every image
        _style_to_attributes(node)
    root.set("role", "img")
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    root.set("aria-label", title)
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
        node.set(name.strip(), value.strip())


def _font_properties(match: re.Match[str]) -> str:
    return f"font-weight: {match[1] or 'normal'}; font-size: {match[2]}; font-family: "

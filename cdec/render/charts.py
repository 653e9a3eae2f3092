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

INK, RULE, _PALE = "#1b1f24", "#d0d7de", "#b8c0c8"
# Okabe and Ito (2008): distinct for all types of colour vision. Markers differ as well.
_SIX = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
COLOURS = tuple(_SIX[(n + n // 6) % 6] for n in range(36))  # 36 pairs with the six markers
_MARKERS = "os^DPv"
_LINES = ("-", "--", ":", "-.")
_LABEL = 27  # letters of the name of a line
_APART = 0.035  # of the height: the least distance of two names
_UNDATED: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
PAGE, PAPER = "page", ("svg", "pdf")
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

    ``groups`` maps a heading to its bars: label, number of right ones, that of the others and their
    name.
    """
    bars = [bar for heading, own in groups.items() for bar in ((heading, 0, 0, None), *own)]

    def draw(axes: Any) -> None:
        for at, (_, right, other, name) in enumerate(bars):
            if name is None:
                continue
            whole = right + other
            share = right / whole if whole else 0.0
            hatched = {"facecolor": "white", "hatch": "/////", "edgecolor": COLOURS[1]}
            axes.barh(at, share, color=COLOURS[0])
            axes.barh(at, (1.0 - share) * (whole > 0), left=share, linewidth=0, **hatched)
            axes.barh(at, 1.0, color="none", edgecolor=INK, linewidth=0.7)
            counts = f"{right:,} right, {other:,} {name}"
            axes.text(1.02, at, counts if whole else "no links", va="center")
        ticks = axes.set_yticks(range(len(bars)), [label for label, *_ in bars])
        for tick, (*_, name) in zip(ticks, bars, strict=True):
            tick.label1.set_fontweight("bold" if name is None else "normal")
        axes.set(xlim=(0, 1), ylim=(len(bars) - 0.5, -0.5), xticks=[])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return drawn(draw, title, description, format, height=0.4 + 0.26 * len(bars))


def slope_chart(
    title: str, description: str, values: pd.DataFrame, named: Sequence[str], format: str = PAGE
) -> Any:
    """Return a line for each system (row), over conditions (columns).

    The lines of ``named`` have a label, and differ in colour, dash and marker; others are grey.
    """
    shown = values.loc[list(named)].sort_values(values.columns[-1], kind="stable")
    ends = shown.iloc[:, -1].to_numpy()
    lowest, highest = values.to_numpy().min(), values.to_numpy().max()
    # Names do not overlap: each moves up from the one below, then all below the highest value.
    steps = _APART * ((highest - lowest) or 1) * np.arange(len(shown))
    heights = np.maximum.accumulate(ends - steps) + steps
    heights[-1:] = np.minimum(heights[-1:], highest)
    heights = np.minimum.accumulate((heights - steps)[::-1])[::-1] + steps

    def draw(axes: Any) -> None:
        last = len(values.columns) - 1
        for row in values.drop(index=shown.index).to_numpy():
            axes.plot(row, color=_PALE, linewidth=0.7)
        for n, (name, row) in enumerate(zip(shown.index, shown.to_numpy(), strict=True)):
            form = _MARKERS[n % 6] + _LINES[n % 4]
            axes.plot(row, form, color=COLOURS[n % 36], markeredgecolor="white")
            axes.plot([last + 0.08, last + 0.25], [row[-1], heights[n]], color=INK, lw=0.6)
            label = name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"
            axes.text(last + 0.3, heights[n], label, va="center", fontsize=8)
        axes.set_xticks(range(last + 1), values.columns, fontsize="small")
        axes.set_xlim(-0.2, last + 0.2)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.grid(color=RULE)
        axes.spines[:].set_visible(False)

    return drawn(draw, title, description, format, height=4.8)


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
            mpl.rcParams.update({"font.size": 7, "lines.linewidth": 1, "lines.markersize": 4})
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots(subplot_kw=labels))
        figure.savefig(buffer, format=format, dpi=150, metadata=_UNDATED[format])
    return buffer.getvalue()


def drawn(
    draw: Callable[[Any], None], title: str, description: str, format: str = PAGE, **how: Any
) -> Any:
    """Return the image as SVG to embed in a page, with its title and description in words.

    It has no style sheet and no inline style, which the policy of a page may forbid. For a paper
    (``format`` is one of PAPER) it is a file, without them. ``how``: as in ``image``.
    """
    if format != PAGE:
        return image(draw, format, paper=True, **how)
    from lxml import etree  # noqa: PLC0415  few pages have charts

    root = etree.fromstring(image(draw, **how))
    etree.strip_elements(root, "{*}style", with_tail=False)
    for node in root.iter("{*}*"):
        if re.search(r"_\d+$", node.get("id", "")):
            del node.attrib["id"]  # the same in every image
        style = str(node.attrib.pop("style", ""))
        # The font in one property is not an attribute of SVG.
        style = re.sub(r"font: (?:(\w+) )?([\d.]+px) ", _font, style)
        for rule in filter(str.strip, style.split(";")):
            name, _, value = rule.partition(":")
            node.set(name.strip(), value.strip())
    root.attrib.update({"role": "img", "stroke-linejoin": "round", "stroke-linecap": "butt"})
    root.set("aria-label", title)
    for at, (tag, text) in enumerate({"title": title, "desc": description}.items()):
        root.insert(at, etree.Element(f"{{{root.nsmap[None]}}}{tag}"))
        root[at].text = text
    return str(etree.tostring(root, encoding="unicode"))


def _font(match: re.Match[str]) -> str:
    return f"font-weight: {match[1] or 'normal'}; font-size: {match[2]}; font-family: "

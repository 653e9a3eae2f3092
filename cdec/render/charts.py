"""Charts: SVG in a page, with a description in words, or a file for a paper.

They are drawn by matplotlib, which takes a second to import: a page draws its charts when it is
rendered as HTML.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Floats
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
WIDTHS = (3.3, 7.0)
"""Inches: a column and a page of a paper."""
_SCREEN = 4.8  # inches: a page may be as narrow as a phone
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "cdec",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have two $
    "hatch.linewidth": 0.7,
    "axes.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": "medium",
}


def draw_slopes(axes: Any, values: pd.DataFrame, unit: str, *, joined: bool) -> None:
    """Draw a line for each system over conditions, such as settings, with its intervals.

    ``values`` is in [0, 1]: rows are systems; columns are (f1, low or high; condition), the last
    two only with intervals. Systems with the same values have one line, and a legend that says so.
    ``joined``: whether the points of a system are joined. ``unit`` is the label of the values.
    """
    percents = 100 * values
    f1 = percents["f1"]
    places = np.arange(len(f1.columns))
    lines: dict[
        bytes, list[int]
    ] = {}  # of equal numbers, the positions of their systems
    for position, numbers in enumerate(percents.to_numpy(np.float64)):
        lines.setdefault(numbers.tobytes(), []).append(position)
    step = min(0.1, 0.6 / len(lines))
    handles = []
    labels = []
    for number, positions in enumerate(lines.values()):
        row = percents.iloc[positions[0]]
        errors = None
        if "low" in row:
            errors = [row["f1"] - row["low"], row["high"] - row["f1"]]
        handles.append(
            axes.errorbar(
                places + step * (number - (len(lines) - 1) / 2),
                row["f1"],
                errors,
                color=COLOURS[number % 36],
                marker=_MARKERS[number % 6],
                linestyle=_LINES[number % 4] if joined else "none",
                elinewidth=0.8,
                capsize=1.5,
            )
        )
        names = " = ".join(map(str, f1.index[positions]))
        labels.append(f"{names} (equal)" if len(positions) > 1 else names)
    width = axes.figure.get_figwidth()
    letters = int(12 * width / (1 + len(places)))
    texts = [fill(str(name), max(letters, 7)) for name in f1.columns]
    axes.set_xticks(places, texts)
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.set_ylabel(f"{unit} (%)")
    axes.tick_params(length=0)
    axes.grid(axis="y", **RULE)
    axes.spines[:].set_visible(False)
    legend_rows = draw_legend(axes, handles, labels)
    points = axes.xaxis.label.get_size()
    axes.figure.set_figheight(0.5 * width + 0.7 + 1.6 * points / 72 * legend_rows)


def draw_legend(axes: Any, handles: Sequence[Any], labels: Sequence[str]) -> int:
    """Draw a legend above the axes, where it covers nothing; return its number of lines."""
    letter = 0.6 * axes.xaxis.label.get_size() / 72  # inches
    letters = int(axes.figure.get_figwidth() / letter)
    # A handle is as wide as five letters. matplotlib hides a label that begins with _.
    texts = [fill(f" {escaped(label)}", letters - 6) for label in labels]
    widest = max(len(line) for text in texts for line in text.splitlines())
    rows = -(-len(texts) // max(1, letters // (widest + 6)))
    axes.figure.legend(
        handles,
        texts,
        loc="outside upper left",
        ncols=-(-len(texts) // rows),
        columnspacing=1,
    )
    return rows * max(text.count("\n") + 1 for text in texts)


def draw_intervals(axes: Any, rows: pd.DataFrame) -> None:
    """Draw a point with its interval in each row, under headings, and its numbers as text.

    ``rows``: heading, label, value, low, high, text, and kind, by which points differ; the legend
    names them. A value that is missing has its text only.
    """
    codes = pd.factorize(rows["heading"])[0]
    order = np.argsort(codes, kind="stable")
    # A heading has a line above its rows.
    table = rows.iloc[order].assign(place=np.arange(len(rows)) + codes[order] + 1)
    groups = table.groupby("heading", sort=False)["place"].agg(["min", "max"])
    handles = {}
    for number, (kind, part) in enumerate(table.groupby("kind", sort=False)):
        errors = [part["value"] - part["low"], part["high"] - part["value"]]
        handles[str(kind)] = axes.errorbar(
            part["value"],
            part["place"],
            xerr=errors,
            color=COLOURS[number],
            marker=_MARKERS[number],
            linestyle="none",
            elinewidth=1,
            capsize=2,
        )
    for text, place in zip(table["text"], table["place"], strict=True):
        axes.annotate(
            text,
            (1, place),
            (8, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
        )
    points = axes.xaxis.label.get_size()
    letters = 72 * axes.figure.get_figwidth() / (0.65 * points)
    for heading, first, last in groups.itertuples():
        text = escaped(str(heading))
        axes.vlines(0, first - 0.5, last + 0.5, color=INK, linewidth=0.6)
        axes.annotate(
            text,
            (0.01, first - 1),
            xycoords=("figure fraction", "data"),
            fontsize=points * min(1, letters / len(text)),
            fontweight="bold",
            va="center",
            in_layout=False,
            annotation_clip=False,
        )
    axes.set_yticks(table["place"], table["label"])
    axes.set_ylim(len(rows) + len(groups) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines[["left", "top", "right"]].set_visible(False)
    legend_rows = draw_legend(axes, [*handles.values()], [*handles])
    lines = len(rows) + len(groups) + legend_rows + 4
    axes.figure.set_figheight(1.7 * lines * points / 72)


def draw_labelled_slopes(
    axes: Any,
    values: pd.DataFrame,
    labelled: Sequence[str],
) -> None:
    """Draw a line for each system (row), over conditions (columns).

    The lines of ``labelled`` differ in colour, dash and marker, and have a label; others are grey.
    """
    coloured = values.loc[list(labelled)].sort_values(values.columns[-1], kind="stable")
    heights = _label_heights(coloured.iloc[:, -1].to_numpy(), values.to_numpy())
    last = len(values.columns) - 1
    for row in values.drop(index=coloured.index).to_numpy():
        axes.plot(row, color=INK, alpha=0.3, linewidth=0.7)
    lines = zip(coloured.index, coloured.to_numpy(), heights, strict=True)
    for number, (name, row, height) in enumerate(lines):
        form = _MARKERS[number % 6] + _LINES[number % 4]
        axes.plot(row, form, color=COLOURS[number % 36])
        axes.plot([last + 0.08, last + 0.25], [row[-1], height], color=INK, lw=0.6)
        axes.text(last + 0.3, height, _short_label(name), va="center", fontsize=8)
    axes.set_xticks(range(last + 1), values.columns, fontsize="small")
    axes.set_xlim(-0.2, last + 0.2)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.grid(**RULE)
    axes.spines[:].set_visible(False)


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
    width: float = 6.4,
    height: float = 4.0,
    *,
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
        mpl.rcParams.update(_STYLE)
        mpl.rcParams.update(
            {
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
            metadata=_METADATA[format],
        )
    return buffer.getvalue()


def draw_chart(
    draw: Callable[[Any], None],
    title: str,
    description: str,
    *,
    format: str = PAGE,
    width: float = _SCREEN,
    height: float | None = None,
    **labels: Any,
) -> Any:
    """Return the image as SVG to embed in a page, with its title and description in words.

    It has no style sheet and no inline style, which the policy of a page may forbid. It has no
    ground, and its ink has the colour of the text around it. For a paper (another ``format``, as
    in ``image``) it is a file. ``height``: by default six tenths of the width.
    """
    size = {"width": width, "height": height or 0.6 * width, "ground": "none"}
    if format != PAGE:
        points = 7 if width < 5 else 8
        return image(draw, format, **size, points=points, **labels)
    from lxml import etree  # noqa: PLC0415  few pages have charts

    root = etree.fromstring(image(draw, **size, points=9, **labels))
    etree.strip_elements(root, "{*}style", with_tail=False)
    for node in root.iter("{*}*"):
        if re.search(r"_\d+$", node.get("id", "")):
            del node.attrib["id"]  # the same in every image
        _style_to_attributes(node)
    root.set("role", "img")
    root.set("fill", "currentColor")
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
        node.set(name.strip(), value.strip().replace(INK, "currentColor"))


def _font_properties(match: re.Match[str]) -> str:
    return f"font-weight: {match[1] or 'normal'}; font-size: {match[2]}; font-family: "

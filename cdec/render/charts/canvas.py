"""What all charts share: a picture by matplotlib, and the marks of series."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, nullcontext
from pathlib import Path
from typing import Any

INK, RULE = "#1b1f24", "#d0d7de"
# Okabe and Ito (2008): distinct for all types of colour vision. Markers differ as well.
_SIX = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
COLOURS = tuple(_SIX[(n + n // 6) % 6] for n in range(36))  # 36 pairs with the six markers
MARKERS = "os^DPv"
_UNDATED: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
}
_STYLE = {
    "svg.hashsalt": "cdec",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have two $
}


@contextmanager
def default_style(changes: Any) -> Iterator[None]:
    """Draw with matplotlib's defaults and ``changes``, a dict; a ``matplotlibrc`` has no effect."""
    # matplotlib reads a file of that name in the working directory when it is imported.
    elsewhere = chdir(Path(__file__).parent) if Path("matplotlibrc").exists() else nullcontext()
    with elsewhere:
        import matplotlib as mpl  # noqa: PLC0415  half a second, and most commands draw nothing
    with mpl.rc_context(), warnings.catch_warnings():
        # A letter that matplotlib's font does not have: a browser has another font.
        warnings.filterwarnings("ignore", "Glyph")
        mpl.rcdefaults()
        mpl.rcParams.update(changes)
        yield


def axes_image(
    draw: Callable[[Any], None],
    format: str = "svg",
    columns: int = 1,
    height: float = 4.0,
    **labels: str,
) -> bytes:
    """Return what ``draw`` draws on axes of matplotlib with these labels, as the file of an image.

    ``format`` is png or svg; with several ``columns``, ``draw`` gets the axes of each. Equal input
    gives equal bytes.
    """
    buffer = io.BytesIO()
    with default_style(_STYLE):
        # Imported late because it takes a second. A Figure without pyplot does not need a screen.
        from matplotlib.figure import Figure  # noqa: PLC0415

        figure = Figure(figsize=(6.4, height), layout="constrained")
        draw(figure.subplots(1, columns, subplot_kw=labels))
        figure.savefig(buffer, format=format, dpi=150, metadata=_UNDATED[format])
    return buffer.getvalue()


def axes_svg(
    draw: Callable[[Any], None],
    columns: int = 1,
    height: float = 4.0,
    about: tuple[str, str] = ("", ""),
    **labels: str,
) -> str:
    """Return the image as SVG to embed in a page; ``about``: title and description in words.

    It has no style sheet and no inline style, which the policy of a page may forbid.
    """
    from lxml import etree  # noqa: PLC0415  few pages have charts

    root = etree.fromstring(axes_image(draw, columns=columns, height=height, **labels))
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
    title, description = about
    if title:
        root.set("aria-label", title)
        for at, (tag, text) in enumerate({"title": title, "desc": description}.items()):
            root.insert(at, etree.Element(f"{{{root.nsmap[None]}}}{tag}"))
            root[at].text = text
    return str(etree.tostring(root, encoding="unicode"))


def _font(match: re.Match[str]) -> str:
    return f"font-weight: {match[1] or 'normal'}; font-size: {match[2]}; font-family: "


def shortened(text: str, letters: int) -> str:
    """Return the text, cut to ``letters`` characters with … at its end."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"

"""A figure: precision, recall and F1 over a threshold."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from cdec.errors import UnknownNameError

IMAGES = ("png", "svg")
_LINES = (
    ("precision", "P", "--", "tab:blue"),
    ("recall", "R", ":", "tab:orange"),
    ("f1", "F", "-", "black"),
)


def image_format(path: Path) -> str:
    """Return the format that the file's name says; raises UnknownNameError if not of IMAGES."""
    ending = path.suffix.removeprefix(".").lower()
    if ending not in IMAGES:
        raise UnknownNameError("image format", ending, IMAGES)
    return ending


def draw(curve: pd.DataFrame, title: str, chosen: float, format: str) -> bytes:
    """Return the image as a file's content; the same input gives the same bytes.

    ``curve`` is indexed by δ and has the columns ``precision``, ``recall`` and ``f1`` in [0, 1];
    ``chosen`` is the δ to mark, ``format`` one of IMAGES.
    """
    # Imported late: it costs a second that no other command needs. A Figure of its own, without
    # pyplot, needs no screen.
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "cdec", "svg.fonttype": "none"}):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.add_subplot(title=title, xlabel="δ", ylabel="score (%)")
        for column, label, style, colour in _LINES:
            axes.plot(curve.index, 100 * curve[column], style, color=colour, label=label)
        axes.axvline(chosen, color="grey", linewidth=0.8, label=f"δ = {chosen:g}")
        axes.set(xlim=(0, 1), ylim=(0, 100))
        axes.grid(alpha=0.3)
        axes.legend()
        figure.savefig(buffer, format=format, dpi=150, metadata=_UNDATED[format])
    return buffer.getvalue()


_UNDATED: dict[str, dict[str, str | None]] = {"svg": {"Date": None}, "png": {"Software": None}}

"""Draw the two pictures of the front page: docs/reversal.svg and docs/settings.svg.

python docs/studies/pictures.py
"""

from __future__ import annotations

import json
import subprocess
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

DOCS = Path(__file__).resolve().parents[1]
mpl.rcParams.update({"svg.hashsalt": "cdec", "svg.fonttype": "none", "font.size": 9})
ORDER = {
    **{"pure": "PURE-CDEC", "simple": "SIMPLE-CDEC", "bh": "B&H"},
    **{"st": "S.T.", "is": "I.S.", "ycf": "YCF"},
}
TWINS = {
    "cattan-ecbp-bbc-gold": ("trained on ECB+ and HyperCoref-BBC", "#0072B2", "o"),
    "cattan-bbc-gold": ("trained on HyperCoref-BBC alone", "#D55E00", "s"),
}


def reversal(scores: pd.DataFrame) -> Figure:
    """Draw the CoNLL F1 of two versions of one system under the six settings."""
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    for system, (label, colour, marker) in TWINS.items():
        own = scores[scores["system"] == system].set_index("setting")["f1"]
        values = [100 * own[setting] for setting in ORDER]
        axes.plot(range(len(ORDER)), values, color=colour, marker=marker, lw=2)
        above = own["bh"] > 0.7
        axes.annotate(label, (1.5, values[1] + (1.6 if above else -3.2)), color=colour, ha="center")
        for at, side in ((0, "right"), (len(ORDER) - 1, "left")):
            text, shift = f"{values[at]:.1f}", -8 if side == "right" else 8
            where = {"xytext": (shift, -3), "textcoords": "offset points", "ha": side}
            axes.annotate(text, (at, values[at]), **where)
    axes.set_xticks(range(len(ORDER)), list(ORDER.values()))
    axes.set_xlim(-0.5, len(ORDER) - 0.4)
    axes.set_ylim(55, 81)
    axes.set_ylabel("CoNLL F1")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


# Mention → place; documents A and B are two sub-topics of one topic, C and D one sub-topic.
PLACES = {"a1": (0.5, 0.72), "a2": (0.5, 0.28), "b1": (1.5, 0.8), "b2": (1.5, 0.28),
          "c1": (2.9, 0.62), "c2": (2.9, 0.28), "d1": (3.9, 0.72), "d2": (3.9, 0.28)}  # fmt: skip
CHAIN, OTHER = ("a1", "a2", "b1", "c1"), ("c2", "d2")
ALONE = ("b2", "d1")
LINKS = [*combinations(CHAIN, 2), OTHER]
SUBTOPIC = {"a": "1", "b": "2", "c": "3", "d": "3"}
TOPIC = {"a": "1", "b": "1", "c": "2", "d": "2"}


def counted(setting: str, one: str, other: str) -> bool:
    """Return whether the link counts under a setting; PURE keeps a chain's first mention only."""
    scope = {"bh": TOPIC, "st": SUBTOPIC, "ycf": SUBTOPIC}.get(setting)
    if scope and scope[one[0]] != scope[other[0]]:
        return False
    return setting != "pure" or "a2" not in (one, other)


def drawing() -> Figure:
    """Draw which links of two chains, and which singletons, each setting counts."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    for axes, (setting, title) in zip(figure.subplots(2, 3).flat, ORDER.items(), strict=True):
        axes.set_title(title, fontsize=9, fontweight="bold")
        for left, name in ((0, "topic 1"), (2.4, "topic 2")):
            look = {"fc": "#f6f8fa", "ec": "#8c959f", "lw": 0.8}
            axes.add_patch(FancyBboxPatch((left, 0), 2, 1.05, "round,pad=.08", **look))
            axes.text(left + 1, -0.34, name, ha="center", fontsize=7, color="#57606a")
        for number, name in enumerate("ABCD"):
            left = number + (0.4 if number > 1 else 0) + 0.08
            look = {"fc": "white", "ec": "#d0d7de", "lw": 0.8}
            axes.add_patch(FancyBboxPatch((left, 0.08), 0.84, 0.9, "round,pad=.02", **look))
            axes.text(left + 0.06, 0.84, name, fontsize=6, color="#57606a")
        for one, other in LINKS:
            (x, y), (u, v) = PLACES[one], PLACES[other]
            on = counted(setting, one, other)
            colour = ("#0072B2" if one in CHAIN else "#D55E00") if on else "#d0d7de"
            axes.plot([x, u], [y, v], color=colour, lw=1.8 if on else 0.8, ls="-" if on else ":")
        for mention, (x, y) in PLACES.items():
            chain = "#0072B2" if mention in CHAIN else "#D55E00" if mention in OTHER else "#57606a"
            gone = (setting in ("is", "ycf") and mention in ALONE) or (
                setting == "pure" and mention == "a2"
            )
            marker = "x" if gone else "o"
            axes.plot(x, y, marker, color="#b8c0c8" if gone else chain, ms=6, zorder=3)
        axes.set_xlim(-0.2, 4.7)
        axes.set_ylim(-0.45, 1.2)
        axes.axis("off")
    return figure


def main() -> None:
    """Write both pictures; the scores are those of the board that comes with cdec."""
    call = ["cdec", "leaderboard", "show", *TWINS, "--task", "ecb+", "-q", "-f", "json"]
    shown = subprocess.run(call, check=True, capture_output=True, text=True).stdout  # noqa: S603
    scores = pd.DataFrame(json.loads(shown)["rows"])
    for name, figure in (("reversal", reversal(scores)), ("settings", drawing())):
        figure.savefig(DOCS / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

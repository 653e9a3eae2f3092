"""The section of `cdec diagnose` that compares two systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdec.diagnosis.diagnosis import SideBySide
from cdec.diagnosis.links import ALL, KINDS
from cdec.diagnosis.side_by_side import EXAMPLES, Example
from cdec.render.numbers import shown
from cdec.render.page import Block, Grid, Listing, Section, anchor

KIND_NAMES = {**KINDS, ALL: "all links"}
"""Kind of link → its name in tables."""


def side_section(pair: SideBySide) -> Section:
    """Return the section with the links that only one of two systems has."""
    return Section(
        id=anchor("side", pair.setting.name, pair.a, pair.b),
        title=f"{pair.a} and {pair.b} side by side ({pair.setting.label})",
        blocks=(_who_grid(pair), *_listings(pair)),
        data=pair.links.assign(a=pair.a, b=pair.b, setting=pair.setting.name),
    )


def _who_grid(pair: SideBySide) -> Grid:
    table = pair.links[pair.links["lemma"] == ALL].replace({"kind": KIND_NAMES})
    titles = {
        "kind": "Links",
        "both_right": "Both right",
        "a_right": f"Only {pair.a} right",
        "b_right": f"Only {pair.b} right",
        "both_missed": "Both missed",
        "both_wrong": "Both wrong",
        "a_wrong": f"Only {pair.a} wrong",
        "b_wrong": f"Only {pair.b} wrong",
    }
    below = [
        "Right: links of the key. Wrong: links that are not in the key. "
        f"Only {pair.a} right: links of the key that {pair.a} has and {pair.b} does not have."
    ]
    return Grid.from_frame("Links by who has them", shown(table, titles, []), 1, below)


def _listings(pair: SideBySide) -> Iterator[Block]:
    names = {"a": pair.a, "b": pair.b}
    for outcome in EXAMPLES:
        examples = [example for example in pair.examples if example.outcome == outcome]
        kind = "Right" if outcome.endswith("right") else "Wrong"
        if examples:
            yield Listing(f"{kind} links of {names[outcome[0]]} only", tuple(_pairs(examples)))


def _pairs(examples: Sequence[Example]) -> Iterator[str]:
    for example in examples:
        yield f"{KINDS[example.kind]}:"
        for quote in (example.first, example.second):
            yield f"    – {quote.doc}: {quote.sentence}"

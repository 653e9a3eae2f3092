"""Two systems side by side as a section of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdec.diagnosis.diagnosis import SideBySide
from cdec.diagnosis.links import ALL, KINDS
from cdec.diagnosis.side_by_side import EXAMPLES, Example
from cdec.diagnosis.view import KIND_NAMES
from cdec.render.grids import anchor, grid, shown
from cdec.render.page import Block, Grid, Listing, Section


def side_section(pair: SideBySide) -> Section:
    """Return the section on what one system has right and the other wrong."""
    return Section(
        id=anchor("side", pair.setting.name, pair.a, pair.b),
        title=f"{pair.a} and {pair.b} side by side ({pair.setting.label})",
        blocks=(_grid(pair), *_listings(pair)),
        data=pair.links.assign(a=pair.a, b=pair.b, setting=pair.setting.name),
    )


def _grid(pair: SideBySide) -> Grid:
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
    below = ["Right: links of the key. Wrong: links that the key does not have."]
    return grid("Links by who has them", shown(table, titles, []), 1, below)


def _listings(pair: SideBySide) -> Iterator[Block]:
    names = {"a": pair.a, "b": pair.b}
    for outcome in EXAMPLES:
        found = [example for example in pair.examples if example.outcome == outcome]
        system, right = names[outcome[0]], outcome.endswith("right")
        said = "rightly links, and the other does not" if right else "alone links, wrongly"
        if found:
            yield Listing(f"What {system} {said}", tuple(_lines(found)))


def _lines(examples: Sequence[Example]) -> Iterator[str]:
    for example in examples:
        yield f"{KINDS[example.kind]}:"
        for quote in (example.first, example.second):
            yield f"    – {quote.doc}: {quote.sentence}"

"""Sections that reproduce the tables and the figure of the paper."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from cdec.corpus.statistics import statistics
from cdec.render.page import Block, Cell, Grid, Line, Listing, Row, Section, Text
from cdec.reproduction.comparison import compared_counts, compared_scores, tidy
from cdec.reproduction.material import FIGURE_3_KEY, FIGURE_3_SYSTEMS, figure3
from cdec.reproduction.page.cells import footnotes, marked, marks
from cdec.reproduction.page.request import Request, of_corpus
from cdec.reproduction.page.scores import score_grid, signature_listing, without_print

_VIEWS = {
    "annotation": "By annotation, as the paper counts",
    "size": "By cluster size",
    "kind": "By kind of mention",
}
_FEW = 5  # mentions or chains
_REPRESENTATIVE = (
    "PURE-CDEC keeps one mention of each within-document chain. The paper does not specify which; "
    "here it is the first in text order. The published PWN and recall are lower under PURE-CDEC, "
    "as if key and response had fewer of these mentions in common."
)


def table1(request: Request) -> Section:
    """Return Table 1: counts of the corpus."""
    counts = statistics(request.material.parts)
    compared = compared_counts(counts, printed=request.material.is_printed)
    grids = tuple(_count_grid(str(view), compared) for view in dict.fromkeys(compared["view"]))
    return Section(
        "table1", "Table 1: the corpus", grids, of_corpus(request.material.corpus, compared, "all")
    )


def _count_grid(view: str, compared: pd.DataFrame) -> Grid:
    """Return one view of ``compared_counts`` (or of statistics without published values)."""
    table = compared[compared["view"] == view]
    known = marks(table["notes"])
    parts = list(dict.fromkeys(table["part"]))
    rows = tuple(
        _count_row(str(name), part.set_index("part").loc[parts], known)
        for name, part in table.groupby("row", sort=False)
    )
    has_print = bool(table["printed"].notna().any())
    legend = f"Difference: = none, ~ at most {_FEW}, ! more."
    return Grid(
        _VIEWS[view],
        ("Count",),
        tuple(("", part) for part in parts),
        rows,
        footnotes(known),
        (legend,) if has_print else (),
    )


def _count_row(name: str, row: pd.DataFrame, known: Mapping[str, str]) -> Row:
    has_print = bool(row["printed"].notna().any())
    lines = [Line("ours" if has_print else "", tuple(Cell(f"{count}") for count in row["ours"]))]
    if has_print:
        printed = (
            Cell(f"{r['printed']:.0f}", notes=marked(r["notes"], known))
            for r in row.to_dict("records")
        )
        differences = (_difference(int(value)) for value in row["difference"])
        lines += [Line("print", tuple(printed)), Line("difference", tuple(differences))]
    return Row((name,), tuple(lines))


def _difference(count: int) -> Cell:
    tone, sign = (
        ("close", "=") if count == 0 else ("fair", "~") if abs(count) <= _FEW else ("far", "!")
    )
    return Cell(f"{count:+d}{sign}" if count else sign, tone=tone)


def table2(request: Request) -> Section:
    """Return Table 2: one system under five settings."""
    compared = compared_scores("table2", request.table2, printed=request.material.is_printed)
    # The published table has one system; its rows are shown only if that system is requested.
    compared = compared[compared["system"].isin(request.decomposed)]
    caption = "One system, five settings: what each choice does to the score"
    return Section(
        "table2",
        "Table 2: one system under five settings",
        (
            score_grid(caption, compared, changes=True),
            signature_listing(request.table2),
        ),
        of_corpus(request.material.corpus, compared),
    )


def table3(request: Request) -> Section:
    """Return Table 3: the baselines."""
    compared = compared_scores("table3", request.table3, printed=request.material.is_printed)
    return Section(
        "table3",
        "Table 3: the baselines",
        (
            Text(_REPRESENTATIVE),
            score_grid("The baselines under SIMPLE-CDEC and PURE-CDEC", compared),
            signature_listing(request.table3),
        ),
        of_corpus(request.material.corpus, compared),
    )


def figure3_section(_: Request | None = None) -> Section:
    """Return a minimal form of Figure 3; it does not depend on a corpus."""
    title = "Figure 3: why SIMPLE-CDEC is not enough"
    return Section(
        "figure3", title, _figure3_blocks(), tidy(figure3()).assign(corpus="figure3", split="all")
    )


def _figure3_blocks() -> tuple[Block, ...]:
    """Return the example, its scores and their interpretation."""
    results = figure3()
    chains = {"key": FIGURE_3_KEY, **FIGURE_3_SYSTEMS}
    lines = (f"{name}: {_braces(parts)}" for name, parts in chains.items())
    first, second, third = (100 * one["muc"].f1 for one in results["pure"])
    return (
        Text(
            "One event with two mentions in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents; System 3 has one link across documents."
        ),
        Listing("Chains", tuple(lines)),
        score_grid("Figure 3, minimal form", without_print(results)),
        Text(
            "SIMPLE-CDEC gives the same scores to System 1, which has no link across documents, "
            "and System 2, and ranks System 3 last. PURE-CDEC gives MUC F of "
            f"{first:.1f}, {second:.1f} and {third:.1f}: links inside documents score nothing, and "
            "System 3, which has the only link that is required, is first."
        ),
    )


def _braces(chains: tuple[tuple[str, ...], ...]) -> str:
    return " ".join("{" + " ".join(chain) + "}" for chain in chains)

"""What the paper prints, made again: its tables and its figure as sections."""

from __future__ import annotations

from cdec.corpus.statistics import statistics
from cdec.render.page import Section, Text
from cdec.reproduction.comparison import compared_counts, compared_scores, tidy
from cdec.reproduction.material import figure3
from cdec.reproduction.page.counts import count_grid
from cdec.reproduction.page.figure import figure3_blocks
from cdec.reproduction.page.request import Request, of_corpus
from cdec.reproduction.page.scores import (
    score_grid,
    signature_listing,
)

_REPRESENTATIVE = (
    "Which mention stands for a chain of a document under PURE-CDEC, the print does not say; here "
    "it is the first in text order. The print's PWN and recall are lower under PURE-CDEC, as if "
    "its key and response had fewer of these mentions in common."
)


def table1(request: Request) -> Section:
    """Return Table 1: the corpus in numbers."""
    counts = statistics(request.material.parts)
    compared = compared_counts(counts, printed=request.material.is_printed)
    grids = tuple(count_grid(str(view), compared) for view in dict.fromkeys(compared["view"]))
    return Section(
        "table1", "Table 1: the corpus", grids, of_corpus(request.material.corpus, compared, "all")
    )


def table2(request: Request) -> Section:
    """Return Table 2: one system under five settings."""
    compared = compared_scores("table2", request.table2, printed=request.material.is_printed)
    # The print has one system; with others asked for, its rows stay only if it is among them.
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
    """Return Figure 3 in its smallest form; it is of no corpus."""
    title = "Figure 3: why SIMPLE-CDEC is not enough"
    return Section(
        "figure3", title, figure3_blocks(), tidy(figure3()).assign(corpus="figure3", split="all")
    )

"""A section for each artefact of the paper."""

from __future__ import annotations

from cdec.corpus.statistics import statistics
from cdec.metrics import REGISTRY
from cdec.render.page import Block, Listing, Section, Text
from cdec.reproduction.material import (
    Request,
    figure3,
    of_corpus,
)
from cdec.reproduction.page.scores import (
    count_grid,
    score_grid,
    signature_listing,
    without_print,
)
from cdec.reproduction.printed import compared_counts, compared_scores, paper, tidy

_REPRESENTATIVE = (
    "PURE-CDEC keeps one mention of each within-document chain. The paper does not specify which; "
    "here it is the first in text order. The published PWN and recall are lower under PURE-CDEC, "
    "as if key and response had fewer of these mentions in common."
)


def table1(request: Request) -> Section:
    """Return Table 1: counts of the corpus."""
    counts = statistics(request.material.parts)
    compared = compared_counts(counts, printed=request.material.is_printed)
    grids = tuple(count_grid(str(view), compared) for view in dict.fromkeys(compared["view"]))
    return Section(
        "table1", "Table 1: the corpus", grids, of_corpus(request.material.corpus, compared, "all")
    )


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
    results, example = figure3(), paper().figure3
    metric = example["metric"]
    lines = (
        f"{name}: " + " ".join("{" + " ".join(chain) + "}" for chain in chains)
        for name, chains in {"key": example["key"], **example["systems"]}.items()
    )
    first, second, third = (100 * one[metric].f1 for one in results["pure"])
    return (
        Text(
            "One event with two mentions in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents; System 3 has one link across documents."
        ),
        Listing("Chains", tuple(lines)),
        score_grid("Figure 3, minimal form", without_print(results)),
        Text(
            "SIMPLE-CDEC gives the same scores to System 1, which has no link across documents, "
            f"and System 2, and ranks System 3 last. PURE-CDEC gives {REGISTRY[metric].label} F of "
            f"{first:.1f}, {second:.1f} and {third:.1f}: links inside documents score nothing, and "
            "System 3, which has the only link that is required, is first."
        ),
    )

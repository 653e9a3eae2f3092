"""Figure 3 of the paper in its smallest form, as a section."""

from __future__ import annotations

from cdec.render.page import Block, Listing, Text
from cdec.reproduction.material import FIGURE_3_KEY, FIGURE_3_SYSTEMS, figure3
from cdec.reproduction.page.scores import score_grid, without_print


def figure3_blocks() -> tuple[Block, ...]:
    """Return the example, its scores, and what they show."""
    results = figure3()
    chains = {"key": FIGURE_3_KEY, **FIGURE_3_SYSTEMS}
    lines = (f"{name}: {_braces(parts)}" for name, parts in chains.items())
    pure = {r.system: r.scores for r in results if r.setting.name == "pure"}
    first, second, third = (100 * scores["muc"].f1 for scores in pure.values())
    return (
        Text(
            "One event, mentioned twice in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents, System 3 across documents with one link."
        ),
        Listing("Chains", tuple(lines)),
        score_grid("Figure 3, smallest form", without_print(results)),
        Text(
            "SIMPLE-CDEC cannot tell System 1, which found nothing across documents, from System "
            "2, and puts System 3 last. PURE-CDEC gives MUC F of "
            f"{first:.1f}, {second:.1f} and {third:.1f}: nothing for links inside documents, and "
            "System 3, whose link is all that there is to find, comes first."
        ),
    )


def _braces(chains: tuple[tuple[str, ...], ...]) -> str:
    return " ".join("{" + " ".join(chain) + "}" for chain in chains)

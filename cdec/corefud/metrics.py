"""The metrics of CRAC that look at words, not at chains (Žabokrtský et al. 2022, section 3).

``mor``: mention overlap ratio, over one-to-one pairs of mentions that share the most words,
whatever the alignment::

    R = Σ |K ∩ R| / Σ |K|       P = Σ |K ∩ R| / Σ |R|        over words

``zeros``: zero anaphors with a correct antecedent, of those of key and of response.

The alignment of mentions counts both (``spans``, ``match``). Without tokens of the mentions they
cannot be computed: ScoringError.
"""

from collections.abc import Callable

from cdec.errors import ScoringError
from cdec.metrics.metric import WORDS, Counts, Metric, prf
from cdec.metrics.table import Table

CITATION = "Žabokrtský et al. (2022)"


def counter(metric: str) -> Callable[[Table], Counts]:
    """Return the function that finds the counts of a metric in a table."""

    def count(table: Table) -> Counts:
        if metric not in table.tallies:
            raise ScoringError(
                "annotation-missing",
                f"the tokens of the mentions are not known here, and '{metric}' needs them",
                hint="score files whose mentions have tokens",
            )
        return Counts(*table.tallies[metric])

    return count


MOR = Metric(
    id="mor",
    label="MOR",
    citation=CITATION,
    columns=prf("MOR"),
    count=counter("mor"),
    intermediates=(WORDS,),
)
ZEROS = Metric(
    id="zeros",
    label="Zeros",
    citation=CITATION,
    columns=prf("Zeros"),
    count=counter("zeros"),
    intermediates=(WORDS,),
)

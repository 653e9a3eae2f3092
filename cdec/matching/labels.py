"""Chain labels that look as if something else was meant."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.notices import Notice, notice
from cdec.wording import counted

# What pandas, Python, SQL and clustering programs (noise is −1) write for a missing value.
_MISSING = frozenset({"nan", "none", "null", "<na>", "-1"})


def missing_labels(table: pd.DataFrame, side: str) -> Iterator[Notice]:
    """Yield a notice for each chain of several mentions whose label reads like a missing value.

    ``table`` is indexed by mention id; ``side`` is "key" or "response".
    """
    for label in table["chain"].unique():
        if label.casefold() not in _MISSING:
            continue
        ids = table.index[(table["chain"] == label).to_numpy()].tolist()
        if len(ids) > 1:
            message = (
                f"{counted(len(ids), 'mention')} of the {side} are in one chain called '{label}': "
                "if no chain was meant, leave them out or give each a label of its own"
            )
            yield notice("missing-label", message, ids)


def recurring_labels(gold: pd.DataFrame, settled: pd.DataFrame) -> Iterator[Notice]:
    """Notice labels that stand in several documents, of the key or else of the response."""
    for side, table in (("key", gold), ("response", settled)):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = [str(label) for label in documents.index[documents.to_numpy() > 1]]
        if labels:
            what = counted(
                len(labels),
                f"chain label of the {side} recurs",
                f"chain labels of the {side} recur",
            )
            message = f"{what} across documents: is corpus scope meant?"
            yield notice("labels-recur", message, labels, warning=False)
            return

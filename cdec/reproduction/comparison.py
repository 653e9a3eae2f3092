"""Comparison with the published tables: the difference in each cell, and the agreement."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from cdec.evaluation.results import VALUES, Results
from cdec.reproduction.printed import paper, printed_counts, printed_scores

_CELL = ["setting", "system", "metric", "field"]


def compared_scores(table: str, results: Results, printed: bool = True) -> pd.DataFrame:
    """Return our scores and those of the published ``table``, in [0, 1].

    Columns: setting, system, metric, field, ours, column, printed, notes and difference. First the
    cells of the published table in its order (``ours`` is missing without a result), then our other
    results under the settings of that table. ``printed=False`` omits the published values.
    """
    print_ = printed_scores(table).drop(columns="table")
    ours = tidy(results)
    ours = ours[ours["setting"].isin(print_["setting"])]
    if not printed:
        print_ = print_.iloc[:0]
    both = print_.merge(ours, on=_CELL, how="outer")
    order = pd.concat([print_[_CELL], ours[_CELL]]).drop_duplicates()
    both = order.merge(both, on=_CELL, how="left")
    return both.assign(difference=both["ours"] - both["printed"], notes=both["notes"].fillna(""))


def tidy(results: Results) -> pd.DataFrame:
    """Return one row per value: setting, system, metric, field (precision, recall, f1), ours."""
    rows = [
        (row["setting"], row["system"], row["metric"], field, row[field])
        for row in results.frame.to_dict("records")
        for field in VALUES
        if pd.notna(row[field])
    ]
    return pd.DataFrame(rows, columns=[*_CELL, "ours"]).astype({"ours": float})


def compared_counts(counts: pd.DataFrame, printed: bool = True) -> pd.DataFrame:
    """Return ``cdec.corpus.statistics.statistics`` with printed, notes and difference.

    These are missing in rows that the paper lacks (counts by cluster size), and in all rows if
    ``printed=False``.
    """
    ours = counts.rename(columns={"count": "ours"})
    print_ = printed_counts() if printed else printed_counts().iloc[:0]
    table = ours.merge(print_.drop(columns="table"), on=["view", "row", "part"], how="left")
    return table.assign(
        difference=table["ours"] - table["printed"], notes=table["notes"].fillna("")
    )


@dataclass(frozen=True)
class Agreement:
    """Agreement of F columns with the published values; differences in [0, 1].

    ``cells`` cells are compared: the F columns of the systems in configs/tables/paper.toml, without
    the ``noted`` cells that have a note. ``mean`` and ``largest`` are of absolute differences;
    ``outside`` are the compared cells with a difference above ``fair``.
    """

    cells: int
    mean: float
    largest: float
    noted: int
    outside: pd.DataFrame

    @classmethod
    def from_compared(cls, compared: pd.DataFrame) -> Agreement | None:
        """Return the agreement of ``compared_scores`` tables; None if no cell is compared.

        A row that is in two tables counts once.
        """
        rule = paper().agreement
        candidates = compared[
            compared["column"].isin(rule["columns"])
            & compared["system"].isin(rule["systems"])
            & compared["difference"].notna()
        ].drop_duplicates(_CELL)
        without_note = candidates["notes"] == ""
        cells = candidates[without_note]
        if cells.empty:
            return None
        sizes = cells["difference"].abs()
        return cls(
            cells=len(cells),
            mean=float(sizes.mean()),
            largest=float(sizes.max()),
            noted=int((~without_note).sum()),
            outside=cells[sizes * 100 > rule["fair"]],
        )

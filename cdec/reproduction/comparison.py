"""Ours beside the print: the difference in each cell, and how well the whole agrees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from cdec.evaluation.experiment import Result
from cdec.reproduction.printed import paper, printed_counts, printed_scores

_CELL = ["setting", "system", "metric", "field"]


def compared_scores(table: str, results: Iterable[Result], printed: bool = True) -> pd.DataFrame:
    """Return our scores beside the printed ``table``, in [0, 1].

    Columns: setting, system, metric, field, ours, column, printed, notes and difference. First the
    cells of the print in its order (``ours`` missing where there is no result), then our other
    results under the settings of that table. ``printed=False`` leaves the print out.
    """
    print_ = printed_scores(table).drop(columns="table")
    ours = tidy(r for r in results if r.setting.name in set(print_["setting"]))
    if not printed:
        print_ = print_.iloc[:0]
    both = print_.merge(ours, on=_CELL, how="outer")
    order = pd.concat([print_[_CELL], ours[_CELL]]).drop_duplicates()
    both = order.merge(both, on=_CELL, how="left")
    return both.assign(difference=both["ours"] - both["printed"], notes=both["notes"].fillna(""))


def tidy(results: Iterable[Result]) -> pd.DataFrame:
    """Return one row a value: setting, system, metric, field (precision, recall, f1), ours."""
    rows = [
        (r.setting.name, r.system, metric, field, number)
        for r in results
        for metric, value in r.scores.values.items()
        for field, number in value._asdict().items()
        if number is not None
    ]
    return pd.DataFrame(rows, columns=[*_CELL, "ours"]).astype({"ours": float})


def compared_counts(counts: pd.DataFrame, printed: bool = True) -> pd.DataFrame:
    """Return ``cdec.corpus.statistics.statistics`` with printed, notes and difference.

    Rows that the print lacks (counts by cluster size) have none of these, and with
    ``printed=False`` none has.
    """
    ours = counts.rename(columns={"count": "ours"})
    print_ = printed_counts() if printed else printed_counts().iloc[:0]
    table = ours.merge(print_.drop(columns="table"), on=["view", "row", "part"], how="left")
    return table.assign(
        difference=table["ours"] - table["printed"], notes=table["notes"].fillna("")
    )


@dataclass(frozen=True)
class Agreement:
    """How well F columns agree with the print; differences in [0, 1].

    ``cells`` are judged: the F columns of the systems in configs/tables/paper.toml, without those
    that carry a note (``noted`` of them). ``mean`` and ``largest`` are of absolute differences;
    ``outside`` are the judged cells beyond the mark ``fair``.
    """

    cells: int
    mean: float
    largest: float
    noted: int
    outside: pd.DataFrame

    @classmethod
    def from_compared(cls, compared: pd.DataFrame) -> Agreement | None:
        """Return the agreement of tables of ``compared_scores``; None where nothing is judged.

        A row that stands in two tables counts once.
        """
        rule = paper().agreement
        candidates = compared[
            compared["column"].isin(rule["columns"])
            & compared["system"].isin(rule["systems"])
            & compared["difference"].notna()
        ].drop_duplicates(_CELL)
        bare = candidates["notes"] == ""
        judged = candidates[bare]
        if judged.empty:
            return None
        sizes = judged["difference"].abs()
        return cls(
            cells=len(judged),
            mean=float(sizes.mean()),
            largest=float(sizes.max()),
            noted=int((~bare).sum()),
            outside=judged[sizes * 100 > rule["fair"]],
        )

"""The tidy table as people read it: one row a system, metrics side by side, in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cdec.metrics import ALL
from cdec.render.numbers import percent

PRF = (("P", "precision"), ("R", "recall"), ("F", "f1"))
# (group, column, metric, field): Table 3 of Upadhyay et al. (2016), then what came later.
_PLACED = (
    *(("MUC", name, "muc", field) for name, field in PRF),
    *(("B³", name, "b3", field) for name, field in PRF),
    *(("CEAF_e", name, "ceafe", field) for name, field in PRF),
    ("BLANC", "PW", "blanc_coref", "f1"),
    ("BLANC", "PWN", "blanc_noncoref", "f1"),
    ("BLANC", "F", "blanc", "f1"),
    ("CoNLL", "F", "conll", "f1"),
    ("Avg-4", "F", "avg4", "f1"),
    ("LEA", "F", "lea", "f1"),
    ("CEAF_m", "F", "ceafm", "f1"),
)
_FURTHER = ALL.keys() - {metric for _, _, metric, _ in _PLACED}
# A metric that is registered and has no place here stands at the end, by its label.
LAYOUT = (*_PLACED, *((ALL[name].label, "F", name, "f1") for name in ALL if name in _FURTHER))
Column = tuple[str, str, str, str]


def wide(frame: pd.DataFrame, heads: Mapping[str, str], compact: bool = False) -> pd.DataFrame:
    """Return a table of text: the columns ``heads`` (column → title), then LAYOUT.

    ``frame`` is tidy, one row a combination of heads and metric; a metric that it lacks has no
    column. ``compact`` leaves the columns F only: 80 characters hold them.
    """
    shown = set(frame["metric"])
    layout = [c for c in LAYOUT if c[2] in shown and not (compact and c[1] != "F")]
    groups = frame.groupby(list(heads), sort=False, dropna=False)
    rows = [[*names, *_cells(part.set_index("metric"), layout)] for names, part in groups]
    titles = [(title, "") for title in heads.values()]
    columns = [*titles, *((group, name) for group, name, *_ in layout)]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))


def _cells(part: pd.DataFrame, layout: Sequence[Column]) -> list[str]:
    return [percent(part.loc[metric, field]) for _, _, metric, field in layout]  # type: ignore[arg-type]

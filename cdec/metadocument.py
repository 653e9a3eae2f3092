"""Meta-documents: the units in which a metric compares key and response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import TALLIES, Floats
from cdec.clustering import SIDES, Clustering, Side
from cdec.errors import ScoringError

_FIELDS: dict[str, Side] = {
    "p_num": "response",
    "p_den": "response",
    "r_num": "key",
    "r_den": "key",
}


@dataclass(frozen=True)
class MetaDocument:
    """One document of the scorer: a name, and the chains of key and response in it.

    Key and response may have different mentions (twinless mentions).

    >>> key, response = Clustering.from_labels({"a": 1}), Clustering.from_labels({"a": 1, "b": 1})
    >>> MetaDocument("m", key, response).response
    Clustering(2 mentions in 1 chain)
    """

    name: str
    key: Clustering
    response: Clustering


@dataclass(frozen=True, eq=False)
class MetaDocuments:
    """All meta-documents of a key and a response in one table.

    ``table`` is indexed by mention id and has the columns ``meta`` (name of the meta-document),
    ``key`` and ``response`` (chain labels; missing if the mention is not on that side). A chain
    label in two meta-documents is two chains. It can have NAME, and TALLY_COLUMNS. Iteration yields
    MetaDocument objects in order of first occurrence. Raises ScoringError for a duplicate mention.

    >>> table = pd.DataFrame({"meta": ["m", "n"], "key": [1, 1], "response": [1, None]})
    >>> metas = MetaDocuments(table)
    >>> metas.names, [len(meta.response) for meta in metas]
    (['m', 'n'], [1, 0])
    """

    table: pd.DataFrame

    def __post_init__(self) -> None:
        if not self.table.index.is_unique:
            duplicate = self.table.index[self.table.index.duplicated()][0]
            raise ScoringError(
                "mention-duplicate",
                f"duplicate mention '{duplicate}' in the meta-documents",
                hint="give each mention one row",
            )

    @cached_property
    def names(self) -> list[str]:
        """The names of the meta-documents, in order of first occurrence."""
        return [str(name) for name in pd.unique(self.table["meta"])]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[MetaDocument]:
        for name, part in self.table.groupby("meta", sort=False):
            key, response = part["key"].dropna(), part["response"].dropna()
            yield MetaDocument(str(name), Clustering(key), Clustering(response))

    def tallies(self) -> Mapping[str, tuple[float, ...]]:
        """Return the sums of the columns of TALLY_COLUMNS: name → p_num, p_den, r_num, r_den.

        >>> counts = {"mor.p_num": [2.0], "mor.p_den": 3.0, "mor.r_num": 1.0, "mor.r_den": 1.0}
        >>> table = pd.DataFrame({"meta": ["m"], "key": [None], "response": [1], **counts})
        >>> MetaDocuments(table).tallies()
        {'mor': (2.0, 3.0, 0.0, 0.0)}
        """
        return {n: tuple(rows.sum(axis=0).tolist()) for n, rows in self.tally_rows().items()}

    def tally_rows(self, counted: Iterable[str] = TALLIES) -> Mapping[str, Floats]:
        """Return the numbers of ``tallies`` by mention: name → array (mentions, 4).

        ``counted``: the metrics of which they are needed.
        """
        asked = set(TALLIES).intersection(counted)
        known = [name for name in TALLIES if name in asked and f"{name}.p_num" in self.table]
        present = {side: self.table[side].notna().to_numpy() for side in SIDES if known}
        return {
            name: np.stack(
                [
                    np.where(present[side], self.table[f"{name}.{field}"].to_numpy(np.float64), 0)
                    for field, side in _FIELDS.items()
                ],
                axis=1,
            )
            for name in known
        }

    def codes(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Return (meta, key, response): integer codes, one per mention, −1 if missing on that side.

        >>> table = pd.DataFrame({"meta": ["m"], "key": [None], "response": ["x"]})
        >>> [codes.tolist() for codes in MetaDocuments(table).codes()]
        [[0], [-1], [0]]
        """
        columns = (self.table[name] for name in ("meta", "key", "response"))
        meta, key, response = (pd.factorize(column)[0] for column in columns)
        return meta, key, response

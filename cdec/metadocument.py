"""Meta-documents: what a setting makes of key and response, and what a metric counts over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from cdec.arrays import Ints, numbered
from cdec.clustering import Clustering
from cdec.errors import ScoringError

Side = Literal["key", "response"]
SIDES: tuple[Side, ...] = get_args(Side)
OTHER: dict[Side, Side] = {"key": "response", "response": "key"}


@dataclass(frozen=True)
class MetaDocument:
    """One document of the scorer: its name and the key and response chains inside it.

    The mention sets of key and response may differ (twinless mentions).

    >>> key, response = Clustering.from_labels({"a": 1}), Clustering.from_labels({"a": 1, "b": 1})
    >>> MetaDocument("m", key, response).response
    Clustering(2 mentions in 1 chain)
    """

    name: str
    key: Clustering
    response: Clustering


@dataclass(frozen=True, eq=False)
class MetaDocuments:
    """All meta-documents of one scoring, as one table.

    ``table`` is indexed by mention id and has the columns ``meta`` (name of the meta-document),
    ``key`` and ``response`` (chain labels; missing where that side lacks the mention). A chain
    label that occurs in two meta-documents means two chains. Iterating gives MetaDocument
    objects in order of first occurrence. Raises ScoringError for a mention that stands twice.

    >>> table = pd.DataFrame({"meta": ["m", "n"], "key": [1, 1], "response": [1, None]})
    >>> metas = MetaDocuments(table)
    >>> metas.names, [len(meta.response) for meta in metas]
    (['m', 'n'], [1, 0])
    """

    table: pd.DataFrame

    def __post_init__(self) -> None:
        if not self.table.index.is_unique:
            twice = self.table.index[self.table.index.duplicated()][0]
            raise ScoringError(f"mention '{twice}' stands twice in the meta-documents")

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

    def codes(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Return (meta, key, response): integer codes per mention, −1 where a side is missing.

        >>> table = pd.DataFrame({"meta": ["m"], "key": [None], "response": ["x"]})
        >>> [codes.tolist() for codes in MetaDocuments(table).codes()]
        [[0], [-1], [0]]
        """
        columns = (self.table[name] for name in ("meta", "key", "response"))
        meta, key, response = (pd.factorize(column)[0] for column in columns)
        return meta, key, response


def chain_numbers(meta: pd.Series[Any], labels: pd.Series[Any]) -> Ints:
    """Return each mention's chain number, in order of first occurrence; −1 where it has none.

    A label that occurs in two meta-documents (``meta``) is two chains.

    >>> chain_numbers(pd.Series(["m", "m", "n"]), pd.Series([1, None, 1])).tolist()
    [0, -1, 1]
    """
    return numbered(pd.factorize(meta)[0], pd.factorize(labels)[0])

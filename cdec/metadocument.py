"""Meta-documents: the units in which a metric compares key and response."""

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
    label in two meta-documents is two chains. Iteration yields MetaDocument objects in order of
    first occurrence. Raises ScoringError for a duplicate mention.

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

    def codes(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Return (meta, key, response): integer codes, one per mention, −1 if missing on that side.

        >>> table = pd.DataFrame({"meta": ["m"], "key": [None], "response": ["x"]})
        >>> [codes.tolist() for codes in MetaDocuments(table).codes()]
        [[0], [-1], [0]]
        """
        columns = (self.table[name] for name in ("meta", "key", "response"))
        meta, key, response = (pd.factorize(column)[0] for column in columns)
        return meta, key, response


def chain_numbers(meta: pd.Series[Any], labels: pd.Series[Any]) -> Ints:
    """Return the chain number of each mention, in order of first occurrence; −1 without a chain.

    ``meta`` has the meta-document of each mention; a label in two meta-documents is two chains.

    >>> chain_numbers(pd.Series(["m", "m", "n"]), pd.Series([1, None, 1])).tolist()
    [0, -1, 1]
    """
    return numbered(pd.factorize(meta)[0], pd.factorize(labels)[0])

"""Sampling units: topics or sub-topics, which are sampled, left out or exchanged as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import ScoringError, UsageError, one_of
from cdec.metadocument import MetaDocuments

UNITS = ("topic", "subtopic")
FEWEST = 2


def largest_unit(mentions: Iterable[pd.DataFrame]) -> str | None:
    """Return the largest kind of unit of which these tables have two or more; None if none has."""
    tables = list(mentions)
    for kind in UNITS:
        names = {name for table in tables if kind in table for name in table[kind].unique()}
        if len(names) >= FEWEST:
            return kind
    return None


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of each mention: ``of`` maps mention id → index into ``names``.

    Documents cannot be units: chains cross the documents of a topic, so that documents are not
    independent.
    """

    kind: str
    names: tuple[str, ...]
    of: pd.Series[Any]

    @classmethod
    def of_mentions(cls, kind: str, mentions: Iterable[pd.DataFrame]) -> Units:
        """Return the units of all mentions of several tables, by their column ``kind``.

        The tables of all systems are needed, so that a unit has the same number in all of them.
        Raises UnknownNameError for a kind not in UNITS, UsageError for a table without the
        column, ScoringError for fewer than two units.
        """
        one_of("unit", kind, UNITS)
        tables = list(mentions)
        if any(kind not in table for table in tables):
            raise UsageError(
                "level-missing",
                f"the mentions have no {kind} information",
                hint="give the topics of the documents (topics, --topics), or score against a "
                "corpus: `cdec eval --response FILE`",
            )
        column = pd.concat([table[kind] for table in tables])
        column = column[~column.index.duplicated()]
        codes, names = pd.factorize(column)
        if len(names) < FEWEST:
            raise ScoringError(
                "part-too-small",
                f"resampling needs at least two {kind}s, got {len(names)}",
                hint="choose a larger part, or one with several topics or sub-topics",
            )
        return cls(kind, tuple(map(str, names)), pd.Series(codes, column.index))

    def __len__(self) -> int:
        return len(self.names)

    def codes(self, meta_documents: MetaDocuments) -> Ints:
        """Return the unit number of each mention, in table order."""
        return np.asarray(self.of.loc[meta_documents.table.index], dtype=np.int64)

"""Units: what is drawn, left out or exchanged as a whole."""

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


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of each mention: ``of`` maps mention id → number of its name in ``names``.

    Documents are no units: chains run across the documents of a topic, so that documents drawn
    apart are no sample of anything that is scored.
    """

    kind: str
    names: tuple[str, ...]
    of: pd.Series[Any]

    @classmethod
    def of_mentions(cls, kind: str, mentions: Iterable[pd.DataFrame]) -> Units:
        """Return the units of all mentions of some tables, which have a column ``kind``.

        Every system's table goes in, so that a unit has the same number for all of them. Raises
        UnknownNameError for a kind that is not in UNITS, UsageError where the mentions do not
        tell theirs, ScoringError for fewer than two units.
        """
        one_of("unit", kind, UNITS)
        tables = list(mentions)
        if any(kind not in table for table in tables):
            raise UsageError(
                f"the mentions do not tell their {kind}",
                hint="intervals and tests need a corpus: `cdec eval --response`",
            )
        column = pd.concat([table[kind] for table in tables])
        column = column[~column.index.duplicated()]
        codes, names = pd.factorize(column)
        if len(names) < FEWEST:
            raise ScoringError(
                f"{len(names)} {kind}: there is nothing to resample",
                hint="choose a larger split, or --unit subtopic",
            )
        return cls(kind, tuple(map(str, names)), pd.Series(codes, column.index))

    def __len__(self) -> int:
        return len(self.names)

    def codes(self, meta_documents: MetaDocuments) -> Ints:
        """Return the number of each mention's unit, in the order of the table."""
        return np.asarray(self.of.loc[meta_documents.table.index], dtype=np.int64)

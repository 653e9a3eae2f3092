"""Scored pairs as a response: ``pairs:FILE[@THRESHOLD[/CLUSTERING]]`` instead of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, one_of
from cdec.evaluation.response import Named, ResponseFile, Source, is_there
from cdec.pair_scores.link import CLOSURE, CLUSTERINGS, cut, linking, linking_notices
from cdec.pairs.mention_pairs import MentionPairs
from cdec.pairs.pair_files import SCORE, PairTable, read_pairs
from cdec.pairs.within import Decisions
from cdec.settings import Setting

Pairs = PairTable | pd.DataFrame | Mapping[tuple[str, str], float] | str | Path
_HOW = re.compile(r"(.+)@([^@/]*)(?:/(\w+))?", re.DOTALL)


@dataclass(frozen=True)
class ScoredPairs(Source):
    """The chains of the scored pairs in a file, at a threshold (None: 0.5, or 0 for log-odds).

    >>> ScoredPairs.parse("runs/scores.csv@0.4/average")
    ScoredPairs(name='scores', path='runs/scores.csv', threshold=0.4, clustering='average')
    """

    path: str
    threshold: float | None = None
    clustering: str = CLOSURE

    @classmethod
    def parse(cls, text: str) -> ScoredPairs:
        """Return the source for ``FILE[@[THRESHOLD][/CLUSTERING]]``.

        Raises UsageError for another threshold, UnknownNameError for another clustering.
        """
        how = None if is_there(Path(text)) else _HOW.fullmatch(text)
        if how is None:
            return cls(Path(text).stem, text)
        path, threshold, clustering = how[1], how[2], how[3] or CLOSURE
        one_of("clustering", clustering, CLUSTERINGS)
        try:
            value = float(threshold) if threshold else None
        except ValueError:
            message = f"'{threshold}' is not a threshold"
            hint = "write FILE@THRESHOLD or FILE@THRESHOLD/CLUSTERING, as in scores.csv@0.5/average"
            raise UsageError("argument-invalid", message, hint=hint) from None
        return cls(Path(path).stem, path, value, clustering)

    @classmethod
    def names(cls) -> list[str]:
        """Return no names: there are files only."""
        return []

    @property
    def reads(self) -> tuple[Path, ...]:
        """The file."""
        return (Path(self.path),)

    @cached_property
    def table(self) -> PairTable:
        """The pairs of the file, which is read once. Raises FormatError as ``table_of`` does."""
        return table_of(self.path)

    def covers(self, corpus: Corpus) -> pd.Series[str]:
        """Return the mentions of all pairs."""
        return mentions_in(self.table)

    def on(self, corpus: Corpus, settings: Sequence[Setting] = ()) -> Named:
        """Return the chains; their signature has the digest of the pairs.

        Raises FormatError for a file without a scored pair, and as ``MentionPairs.of_table`` does.
        """
        return self._linked(MentionPairs.of_table(self.table, corpus), settings)

    def within(self, corpus: Corpus) -> Named:
        """Return the chains of the mentions that are in a pair; a part may have been compared."""
        pairs = MentionPairs.of_table(self.table, corpus)
        named, compared = self._linked(pairs), np.union1d(pairs.first, pairs.second)
        return replace(named, response=Clustering(named.response.labels.iloc[compared]))

    def _linked(self, pairs: MentionPairs, settings: Sequence[Setting] = ()) -> Named:
        if not len(pairs.scored()):
            message, hint = "the pairs have no scores", "`cdec pairs` takes lists without scores"
            if pairs.has_scores:
                message, hint = "no pair has a score", "write the score of each pair, at least one"
            raise FormatError("file-invalid", message, place=self.path, hint=hint)
        at = linking(pairs, self.threshold, self.clustering)
        return Named(
            self.name,
            cut(pairs, at.clustering).chains(at.threshold),
            {**pairs.about, **at.about},
            (*pairs.notices, *linking_notices(pairs, at, settings)),
            Decisions.of_pairs(pairs).chains,
        )

    def file(self) -> ResponseFile:
        """Raise UsageError: without a corpus there are no mentions to cluster."""
        message = "pair scores are not a response file"
        hint = "score them on a corpus: `cdec eval pairs:FILE@THRESHOLD`"
        raise UsageError("argument-invalid", message, place=self.path, hint=hint)


def table_of(given: Pairs) -> PairTable:
    """Return the pairs of a file, a table, or a dict (mention, mention) → score.

    Raises FormatError for a table that names no two mentions, and as ``PairTable.of`` does;
    UsageError for any other value.
    """
    if isinstance(given, PairTable):
        return given
    if isinstance(given, pd.DataFrame):
        return PairTable.of("pairs", given)
    if not isinstance(given, str | Path):
        return PairTable.of("pairs", _rows(given))
    table = read_pairs(str(given))
    if table is None:
        message = "the header or first line names no two mentions"
        hint = "write the columns a and b, and score"
        raise FormatError("file-invalid", message, place=str(given), hint=hint)
    return table


def mentions_in(table: PairTable) -> pd.Series[str]:
    """Return the mentions of all pairs, each as a chain."""
    names = pd.unique(pd.concat([table.rows["a"], table.rows["b"]])).astype(str)
    return pd.Series(names, names)


def _rows(given: object) -> pd.DataFrame:
    hint = "such as {(mention, mention): score}"
    if not isinstance(given, Mapping | pd.Series):
        message = f"expected a file, a table or a dict, got {type(given).__name__}"
        raise UsageError("argument-invalid", message, hint=hint)
    rows: list[tuple[object, ...]] = []
    for pair, score in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            message = f"expected two mentions, got {pair!s:.40}"
            raise UsageError("argument-invalid", message, place=f"pairs:{len(rows)}", hint=hint)
        rows.append((*pair, score))
    return pd.DataFrame(rows, columns=["a", "b", SCORE], dtype=object)
